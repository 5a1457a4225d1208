import { runInNewContext } from 'node:vm'
import { PAGE_SCRIPT } from '../../src/transports/trusted-match/page-script.ts'

/** What a page gets from the script of the router. */
export interface MatchedPage {
  readonly targeting: Readonly<Record<string, readonly string[]>>
  readonly tokens: Readonly<Record<string, string>>
  /** What the script warned of. */
  readonly warned: readonly string[]
}

/** Runs the page script with answers of a router, and the mappings of the publisher. */
export async function matchOnPage(
  answers: { readonly context?: object; readonly identity?: object },
  mappings: { readonly targetingMapping?: object; readonly tmpxMapping?: object },
): Promise<MatchedPage> {
  const warned: string[] = []
  const window: { adcpMatch?: (opportunity: object) => Promise<object> } = {}
  const offers = { offers: [], signals_by_provider: {} }
  const answerTo = (url: string) => (url.endsWith('/context') ? (answers.context ?? offers) : answers.identity)
  runInNewContext(PAGE_SCRIPT, {
    window,
    document: { currentScript: { src: 'https://router.example/tmp.js', dataset: {} } },
    fetch: async (url: string) => ({ ok: true, json: async () => answerTo(url) }),
    console: { warn: (text: string) => warned.push(text) },
    setTimeout: (work: () => void) => work(),
    URL,
    crypto,
  })
  const identities = [{ user_token: 'u', uid_type: 'id5' }]
  const result = await window.adcpMatch?.({
    placementId: 'top',
    ...mappings,
    ...(answers.identity && { identities, consent: {} }),
  })
  return { ...JSON.parse(JSON.stringify(result)), warned }
}
