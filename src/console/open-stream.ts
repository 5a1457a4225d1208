import type { ServerResponse } from 'node:http'
import { respondProblem } from '../transports/http/respond.ts'
import type { ConsoleParts } from './console-parts.ts'

/** Streams that are open at once: every open page holds one, of a person with many tabs, and each looks at the store every second. */
export const CONSOLE_STREAMS = { inAll: 300, ofHolder: 20 }

const RETRY_AFTER_SECONDS = 60

/**
 * Starts a stream of events for a person, while they and all together have not too many open: 429 or 503 otherwise, as a problem (RFC 9457). Every page that
 * answers with a stream comes through here.
 */
export function openStream(
  response: ServerResponse,
  personId: string,
  { streams, refusedStream }: Pick<ConsoleParts, 'streams' | 'refusedStream'>,
  start: (response: ServerResponse) => void,
): void {
  const taken = streams.take(personId)
  if (typeof taken === 'function') {
    response.once('close', taken)
    start(response)
    return
  }
  const isTheirs = taken === 'holder'
  refusedStream(isTheirs ? 'person' : 'all')
  const detail = isTheirs
    ? `you have ${CONSOLE_STREAMS.ofHolder} pages open that follow changes; close some, or reload this one when you need it`
    : `${CONSOLE_STREAMS.inAll} pages are open that follow changes; this one shows changes when it is reloaded`
  const status = isTheirs ? 429 : 503
  respondProblem(response, { title: 'Too many open pages', status, detail }, { 'Retry-After': String(RETRY_AFTER_SECONDS) })
}
