import type { Db } from '../database.ts'
import type { StoreProblem } from './inspect.ts'

const PAGE = 500
const EXAMPLES = 5

interface Position {
  readonly tenant_id: string
  readonly principal_id: string
  readonly account_id: string
  readonly idempotency_key: string
}

/**
 * Every media buy that an answer acknowledged is in the store, and no two keys were given the same one. Reads the stored answers page by
 * page; the buys are looked up after the answers, so that a running server does not make it wrong.
 */
export async function inspectAnswers(db: Db): Promise<{ answers: number; problems: readonly StoreProblem[] }> {
  const missing: string[] = []
  const twice: string[] = []
  const owners = new Map<string, string>()
  let answers = 0
  for (let after: Position | undefined; ; ) {
    const rows = await page(db, after)
    const created = rows.flatMap((row) => {
      const mediaBuyId = createdBy(row.response ?? '')
      return mediaBuyId === undefined ? [] : [{ tenantId: row.tenant_id, key: row.idempotency_key, mediaBuyId }]
    })
    answers += created.length
    const stored = await existing(
      db,
      created.map(({ mediaBuyId }) => mediaBuyId),
    )
    for (const { tenantId, key, mediaBuyId } of created) {
      const id = `${tenantId} ${mediaBuyId}`
      if (!stored.has(id)) missing.push(id)
      if ((owners.get(id) ?? key) !== key) twice.push(id)
      owners.set(id, key)
    }
    after = rows.at(-1)
    if (rows.length < PAGE) break
  }
  const problems = [
    { table: 'idempotency', rule: 'the media buy of a stored answer is in the store', examples: missing.slice(0, EXAMPLES) },
    { table: 'idempotency', rule: 'a media buy is the answer to one key', examples: twice.slice(0, EXAMPLES) },
  ]
  return { answers, problems: problems.filter(({ examples }) => examples.length > 0) }
}

const KEY = ['tenant_id', 'principal_id', 'account_id', 'idempotency_key'] as const

function page(db: Db, after: Position | undefined) {
  let query = db.selectFrom('idempotency').select([...KEY, 'response'])
  if (after) {
    const { tenant_id, principal_id, account_id, idempotency_key } = after
    query = query.where((eb) => eb(eb.refTuple(...KEY), '>', eb.tuple(tenant_id, principal_id, account_id, idempotency_key)))
  }
  return query.orderBy('tenant_id').orderBy('principal_id').orderBy('account_id').orderBy('idempotency_key').limit(PAGE).execute()
}

/** The media buy that an answer of `create_media_buy` names: it alone says when the order was confirmed. */
function createdBy(response: string): string | undefined {
  if (!response.includes('"media_buy_id"') || !response.includes('"packages"')) return undefined
  const payload: { media_buy_id?: unknown; confirmed_at?: unknown } = JSON.parse(response)
  return typeof payload.media_buy_id === 'string' && payload.confirmed_at !== undefined ? payload.media_buy_id : undefined
}

async function existing(db: Db, mediaBuyIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (mediaBuyIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('media_buys')
    .select(['tenant_id', 'media_buy_id'])
    .where('media_buy_id', 'in', mediaBuyIds)
    .execute()
  return new Set(rows.map((row) => `${row.tenant_id} ${row.media_buy_id}`))
}
