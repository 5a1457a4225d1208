import { appendEmbeddedEvents, decisionIdPrefix } from '../../src/store/embedded/events.ts'
import type { AdPublisher } from './ad-publisher.ts'

/** Events of a line of a direct order that were counted at a moment, as a process which only serves ads stores them. */
export async function countEvents(
  { server: { store }, tenant: tenantId }: AdPublisher,
  { order, line }: { readonly order: string; readonly line: string },
  kind: string,
  events: number,
  happenedAt: string,
): Promise<void> {
  const row = await store.read
    .selectFrom('embedded_lines')
    .select(['line_id', 'document'])
    .where('anchor', '=', `direct:${order}/${line}`)
    .executeTakeFirstOrThrow()
  const rateMicros: number = JSON.parse(row.document).terms.rateMicros
  const ad = { tenantId, lineId: row.line_id, creativeId: 'hc_1', place: 'home', rateMicros, kind, happenedAt }
  const counted = Array.from({ length: events }, (_, index) => {
    const decisionId = `${decisionIdPrefix(new Date(happenedAt))}${line}${index}`
    return { ...ad, decisionId, eventId: `${decisionId}.${kind}`, isBot: false }
  })
  await store.transaction((tx) => appendEmbeddedEvents(tx, counted))
}
