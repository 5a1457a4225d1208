import type { Kysely } from 'kysely'

interface Before {
  order_lines: { tenant_id: string; line_id: string; document: string }
  embedded_lines: { tenant_id: string; line_id: string; anchor: string; document: string }
}

interface Served {
  readonly settings: {
    readonly startsAt: string
    readonly endsAt: string
    readonly price: { readonly model: string; readonly rateMicros: number }
  }
  readonly dayRateMicros?: number
}

/** Lines that are read at once. */
const BATCH = 500

/** Anchors of lines that people entered begin with `direct:`; this is what comes after all of them. */
const [FIRST, BEYOND] = ['direct:', 'direct;']

/** Lines of a flat price say the flight that it is of, and the price of a day, so that invoices can state which share they bill. */
export async function up(db: Kysely<Before>): Promise<void> {
  for (let [tenant, line] = ['', '']; ; ) {
    const rows = await db
      .selectFrom('embedded_lines')
      .select(['tenant_id', 'line_id', 'anchor', 'document'])
      .where((w) => w.or([w('tenant_id', '>', tenant), w.and([w('tenant_id', '=', tenant), w('line_id', '>', line)])]))
      .where('anchor', '>=', FIRST)
      .where('anchor', '<', BEYOND)
      .orderBy('tenant_id')
      .orderBy('line_id')
      .limit(BATCH)
      .execute()
    for (const row of rows) {
      ;[tenant, line] = [row.tenant_id, row.line_id]
      const { settings, dayRateMicros }: Served = JSON.parse(row.document)
      const { model, rateMicros } = settings.price
      if (model !== 'flat_rate') continue
      const flight = { startsAt: settings.startsAt, endsAt: settings.endsAt }
      const document = JSON.stringify({ model, rateMicros, flight, ...(dayRateMicros !== undefined && { dayRateMicros }) })
      const own = db.updateTable('order_lines').set({ document })
      await own.where('tenant_id', '=', row.tenant_id).where('line_id', '=', row.anchor).execute()
    }
    if (rows.length < BATCH) return
  }
}
