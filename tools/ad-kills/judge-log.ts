import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { AdPages } from './pages.ts'

/** Looks into the store of a server that is not running: every acknowledged event is there, and the sums are those of the log. */
export async function judgeLog(
  data: string,
  { sent, acknowledged }: Pick<AdPages, 'sent' | 'acknowledged'>,
): Promise<{ readonly counted: number; readonly problems: readonly string[] }> {
  const store = await openSqlite(join(data, 'sales-agent.sqlite'))
  try {
    const rows = await store.read.selectFrom('embedded_events').select('event_id').execute()
    const logged = new Set(rows.map(({ event_id }) => event_id))
    const lost = [...acknowledged].filter((id) => !logged.has(id))
    const foreign = [...logged].filter((id) => !sent.has(id))
    const sums = [
      ['embedded_hours', await sumOf(store, 'embedded_hours')],
      ['embedded_totals', await sumOf(store, 'embedded_totals')],
    ] as const
    return {
      counted: logged.size,
      problems: [
        ...(lost.length > 0 ? [`${lost.length} acknowledged events are not in the log, e.g. ${lost[0]}`] : []),
        ...(foreign.length > 0 ? [`${foreign.length} events in the log were never sent, e.g. ${foreign[0]}`] : []),
        ...(rows.length === logged.size ? [] : [`${rows.length - logged.size} events are twice in the log`]),
        ...sums.flatMap(([table, sum]) =>
          sum === logged.size ? [] : [`${table} sums up to ${sum}, the log has ${logged.size}`],
        ),
      ],
    }
  } finally {
    await store.close()
  }
}

async function sumOf(
  { read }: Awaited<ReturnType<typeof openSqlite>>,
  table: 'embedded_hours' | 'embedded_totals',
): Promise<number> {
  const { events } = await read
    .selectFrom(table)
    .select((e) => e.fn.sum<number | null>('events').as('events'))
    .executeTakeFirstOrThrow()
  return Number(events ?? 0)
}
