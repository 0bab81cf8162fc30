/** One thing to type of a document, and what the document says that it prints. */
export type DocumentStep = { readonly text: string; readonly shown: string | undefined };

type Block = { readonly language: string; readonly text: string; readonly next: Block | undefined };

/** The steps in the shell blocks of a Markdown text, in their order. A block with a loop or a choice is one step. */
export function documentSteps(markdown: string): readonly DocumentStep[] {
  return blocksOf(markdown)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, next }) => {
      const texts = isOneStep(text) ? [text] : text.replaceAll('\\\n', ' ').split('\n');
      const steps = texts.filter((step) => step.trim() !== '');
      const shown = next?.language === 'text' ? next.text : undefined;
      return steps.map((step, at) => ({ text: step, shown: at === steps.length - 1 ? shown : undefined }));
    });
}

/** The text of the first block in a language that contains something. Throws if there is none. */
export function firstBlock(markdown: string, language: string, containing = ''): string {
  const found = blocksOf(markdown).find(
    (block) => block.language === language && block.text.includes(containing),
  );
  if (found === undefined) throw new Error(`there is no ${language} block`);
  return `${found.text}\n`;
}

function isOneStep(text: string): boolean {
  return /^(case|for|if|until|while)\b|\bdo$/m.test(text);
}

/** The blocks, each with the one right below it, where only an empty line stands between them. */
function blocksOf(markdown: string): readonly Block[] {
  const found = [...markdown.matchAll(/^```(\w*)\n(.*?)\n```\n/gms)];
  const blocks: Block[] = [];
  for (const match of found.reverse()) {
    const [all, language = '', text = ''] = match;
    const below = blocks[0];
    const isNext =
      below &&
      markdown.slice(match.index + all.length).startsWith(`\n\`\`\`${below.language}\n${below.text}\n\`\`\``);
    blocks.unshift({ language, text, next: isNext ? below : undefined });
  }
  return blocks;
}
