/**
 * Where the content of a page's `head` begins: behind the first start tag of that name, in UTF-16 units; undefined for a page without one (HTML, 13.2.5). One pass: a tag that
 * does not end is looked for an end once.
 */
export function headContentStart(page: string): number | undefined {
  const tag = /<head[\t\n\f\r />]/i.exec(page)
  if (!tag) return undefined
  const end = page.indexOf('>', tag.index)
  return end === -1 ? undefined : end + 1
}
