import type { CommandLoaders } from '../../cli/command/define-group.ts';

export const completionCommands = {
  install: async () => (await import('./install-completion.ts')).installCompletion,
  uninstall: async () => (await import('./uninstall-completion.ts')).uninstallCompletion,
  clear: async () => (await import('./clear-names.ts')).clearNames,
  bash: async () => (await import('./print-script.ts')).printBashScript,
  zsh: async () => (await import('./print-script.ts')).printZshScript,
  fish: async () => (await import('./print-script.ts')).printFishScript,
  powershell: async () => (await import('./print-script.ts')).printPowershellScript,
} satisfies CommandLoaders;
