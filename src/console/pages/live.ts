import type { ServerResponse } from 'node:http'
import { listAuditEntries } from '../../operator/audit/read-audit.ts'
import type { ConsoleParts } from '../console-parts.ts'
import { type Answer, type ConsoleRoute, READERS, type TenantCall, tenantRoute } from '../route.ts'

/** How often a page that is open is compared with the store: changes show within two seconds. */
const LOOK_MS = 1000
/** A comment now and then, so that proxies do not close the stream. */
const BEAT_MS = 20_000
/** A browser connects again after this; its session is checked then. */
const LIFE_MS = 15 * 60_000

/** Server-sent events that say that something of the publisher changed (HTML Living Standard §9.2). */
export function liveRoutes({ dataVersion }: Pick<ConsoleParts, 'dataVersion'>): readonly ConsoleRoute[] {
  return [tenantRoute('GET', '/live', READERS, async (call) => stream(call, dataVersion))]
}

function stream(call: TenantCall, dataVersion: () => string | number): Answer {
  const after = Number(call.query.get('after') ?? Number.NaN)
  return { kind: 'stream', start: (response) => follow(response, () => newestEntry(call), { dataVersion, after }) }
}

/** Every change is in the audit log, so its newest number says whether there was one. */
export async function newestEntry({ operator, tenantId }: TenantCall): Promise<number> {
  return (await listAuditEntries(operator, tenantId, { limit: 1 }))[0]?.seq ?? 0
}

/** `after` is what the page has seen; no number: what there is when the stream begins. */
function follow(
  response: ServerResponse,
  newest: () => Promise<number>,
  { dataVersion, after }: { readonly dataVersion: () => string | number; readonly after: number },
): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
  response.write('retry: 3000\n\n')
  let version: string | number | undefined
  let seen = Number.isInteger(after) ? after : undefined
  const look = async () => {
    const current = dataVersion()
    if (current === version) return
    version = current
    const entry = await newest()
    if (seen !== undefined && entry !== seen) response.write(`event: change\ndata: ${entry}\n\n`)
    seen = entry
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
