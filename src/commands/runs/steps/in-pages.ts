const PAGE = 1000;

/** Rows in pages, as `print` takes them, without holding all. */
export async function* inPages<Row>(rows: Iterable<Row>): AsyncGenerator<readonly Row[]> {
  let page: Row[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}
