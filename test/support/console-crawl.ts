import type { ConsoleClient } from './console-client.ts'

/** What is no page, or changes something of the person. */
const NO_PAGE = /\/assets\/|\/live$|\.csv|\.xlsx|export\.|\/preview$|elsewhere|callback/

/**
 * Every page of the console that links lead to, from some addresses on: at most `each` of one kind (the same path but for ids), so that lists of many do not count.
 * Gives the text of each by its address.
 */
export async function crawlConsole(
  client: ConsoleClient,
  starts: readonly string[],
  each = 6,
): Promise<ReadonlyMap<string, string>> {
  const seen = new Set(starts)
  const kinds = new Map<string, number>()
  const texts = new Map<string, string>()
  for (const address of seen) {
    if (texts.size >= 600) break
    const kind = (address.split('?', 1)[0] ?? '').replaceAll(/\/(?=[^/]*[\d%_-])[^/]+/g, '/*')
    const count = (kinds.get(kind) ?? 0) + 1
    kinds.set(kind, count)
    if (count > each) continue
    const { status, text } = await client.get(address)
    if (status >= 500) throw new Error(`${address} answers ${status}`)
    texts.set(address, text)
    for (const [, link = ''] of text.matchAll(/href="(\/console[^"#]*)/g)) {
      const path = link.replaceAll('&amp;', '&')
      if (!NO_PAGE.test(path)) seen.add(path)
    }
  }
  return texts
}
