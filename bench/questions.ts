import { randomUUID } from 'node:crypto'
import { ACCOUNT, isRefusal, type Served } from '../tools/measure/deployment.ts'
import { type Subject, toolCall } from '../tools/measure/subject.ts'
import type { WrittenTarget } from '../tools/measure/wrk.ts'

const BRIEF = 'video for coffee drinkers'
const MARK = '"product_id"'

/** A brief; `maxResults`: products on the page, default as many as the server takes. */
function brief(text: string, maxResults: number | undefined): string {
  const page = maxResults === undefined ? {} : { pagination: { max_results: maxResults } }
  return toolCall('get_products', { buying_mode: 'brief', brief: text, account: ACCOUNT, ...page })
}

const succeeded = (reply: string) => reply.includes(MARK) && !isRefusal(reply)

/** A `get_products` that was never asked before, each time: the brief differs. */
export function newQuestions({ url, headers }: Pick<Served, 'url' | 'headers'>, maxResults?: number): WrittenTarget {
  const [before = '', after = ''] = brief(`${BRIEF} KEY`, maxResults).split('KEY')
  return { url, headers, body: [before, after], mark: MARK }
}

/** The row of {@link newQuestions}. */
export function newQuestion(served: Served, title: string, { id, maxResults }: { id: string; maxResults?: number }): Subject {
  const { url, headers, server } = served
  const written = newQuestions(served, maxResults)
  const [before, after = ''] = written.body
  return { id, title, server, written, target: { url, headers, body: () => `${before}${randomUUID()}${after}`, succeeded } }
}

/** The row of one question that is asked again and again. */
export function repeatedQuestion({ url, headers, server }: Served, title: string, maxResults: number): Subject {
  const body = brief(BRIEF, maxResults)
  const written: WrittenTarget = { url, headers, body: [body], mark: MARK }
  return { id: 'get_products_repeated', title, server, written, target: { url, headers, body, succeeded } }
}
