import type { ServerResponse } from 'node:http'
import { newestChange } from '../../operator/reports/newest-change.ts'
import { beginEvents } from '../../transports/http/respond.ts'
import type { ConsoleParts } from '../console-parts.ts'
import { type Answer, type ConsoleRoute, pageRoute, type TenantCall } from '../route.ts'

/** How often a page that is open is compared with the store: changes show within two seconds. */
const LOOK_MS = 1000
/** What neither the audit log nor the sums of delivery show, such as where orders are at their ad servers, shows after this. */
const OTHER_WRITES_MS = 15_000
/** Time passes: flights begin and end, requests expire, a simulated ad server delivers. */
const CLOCK_MS = 60_000
/** A comment now and then, so that proxies do not close the stream. */
const BEAT_MS = 20_000
/** A browser connects again after this; its session is checked then. */
const LIFE_MS = 15 * 60_000

/** Server-sent events that say that something of the publisher changed (HTML Living Standard §9.2). */
export function liveRoutes({ dataVersion }: Pick<ConsoleParts, 'dataVersion'>): readonly ConsoleRoute[] {
  return [pageRoute('/live', async (call) => stream(call, dataVersion))]
}

function stream(call: TenantCall, dataVersion: () => string | number): Answer {
  const { operator, tenantId, query } = call
  const after = /^[\d.]{1,80}$/.exec(query.get('after') ?? '')?.[0]
  return { kind: 'stream', start: (response) => follow(response, () => newestChange(operator, tenantId), { dataVersion, after }) }
}

/** `after` is the mark that the page was made with; undefined: that of the moment when the stream begins. */
function follow(
  response: ServerResponse,
  newest: () => Promise<string>,
  { dataVersion, after }: { readonly dataVersion: () => string | number; readonly after: string | undefined },
): void {
  beginEvents(response)
  response.write('retry: 3000\n\n')
  let version: string | number | undefined
  let seen = after
  let sentAt = performance.now()
  let isStale = false
  const look = async () => {
    const current = dataVersion()
    const quietMs = performance.now() - sentAt
    if (current !== version) {
      const mark = await newest()
      isStale ||= version !== undefined
      version = current
      if (mark !== seen) {
        const isFirst = seen === undefined
        seen = mark
        if (!isFirst) return tell()
      }
    }
    if (quietMs >= (isStale ? OTHER_WRITES_MS : CLOCK_MS)) tell()
  }
  const tell = () => {
    sentAt = performance.now()
    isStale = false
    response.write(`event: change\ndata: ${seen}\n\n`)
  }
  const end = () => response.end()
  const looks = setInterval(() => look().catch(end), LOOK_MS).unref()
  const beats = setInterval(() => response.write(': still here\n\n'), BEAT_MS).unref()
  const life = setTimeout(end, LIFE_MS).unref()
  response.on('close', () => {
    clearInterval(looks)
    clearInterval(beats)
    clearTimeout(life)
  })
}
