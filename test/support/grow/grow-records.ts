import { NEVER } from '../../../src/store/approval/approvals.ts'
import type { Db, Store } from '../../../src/store/database.ts'
import { insertCopies } from './insert-copies.ts'

/** Records of one transaction. */
const BATCH = 5000
/** One webhook in so many was given up. */
const DEAD = 300
const HASH = '0'.repeat(64)
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Who the records are of. */
interface Owner {
  readonly tenant_id: string
  readonly principal_id: string
  readonly account_id: string
}

/**
 * What orders leave behind: for each one a creative, a decided approval, a webhook and an entry of the audit log; written from scratch, since a small publisher has none
 * that could be copied.
 */
export async function growRecords(store: Store, owner: Owner, range: { from: number; to: number }, now: Date): Promise<void> {
  await store.transaction((tx) => addEndpoint(tx, owner, now))
  const { seq } = await store.read
    .selectFrom('audit_log')
    .select((e) => e.fn.coalesce(e.fn.max('seq'), e.lit(0)).as('seq'))
    .where('tenant_id', '=', owner.tenant_id)
    .executeTakeFirstOrThrow()
  for (let from = range.from; from < range.to; from += BATCH) {
    const length = Math.min(BATCH, range.to - from)
    const numbers = Array.from({ length }, (_empty, index) => from + index)
    const entries = numbers.map((n, index) => ({ n, seq: Number(seq) + 1 + (from - range.from) + index }))
    await store.transaction((tx) => insertRecords(tx, owner, entries, now), { durability: 'lazy' })
  }
}

async function insertRecords(
  tx: Db,
  owner: Owner,
  entries: readonly { readonly n: number; readonly seq: number }[],
  now: Date,
): Promise<void> {
  const { tenant_id: tenantId, principal_id: principalId } = owner
  const at = (n: number) => new Date(now.getTime() - 60 * DAY_MS - n * MINUTE_MS).toISOString()
  await insertCopies(
    tx,
    'creatives',
    { ...owner, ...CREATIVE, created_at: at(0) },
    entries.map(({ n }) => ({ creative_id: `grown-${n}`, name: `Banner ${n}`, name_folded: `banner ${n}`, updated_at: at(n) })),
  )
  await insertCopies(
    tx,
    'approvals',
    { ...owner, ...APPROVAL },
    entries.map(({ n }) => ({
      task_id: `task_grown_${n}`,
      created_at: at(n),
      // What is decided is not due: the job that ends what nobody decided would work through all of it while a page is measured.
      due_at: NEVER,
      expires_at: at(n),
      decided_at: at(n),
    })),
  )
  for (const isDead of [true, false]) {
    const some = entries.filter(({ n }) => (n % DEAD === 0) === isDead)
    if (some.length === 0) continue
    await insertCopies(
      tx,
      'webhook_outbox',
      { tenant_id: tenantId, principal_id: principalId, ...WEBHOOK, state: isDead ? 'dead' : 'delivered' },
      some.map(({ n }) => ({
        delivery_id: `whd_grown_${n}`,
        idempotency_key: `whk_grown_${n}`,
        ordering_key: `grown/${n}`,
        next_attempt_at: at(n),
        created_at: at(n),
        settled_at: at(n),
      })),
    )
  }
  const entry = {
    tenant: tenantId,
    principal: principalId,
    task: 'create_media_buy',
    transport: 'mcp',
    request: 'grown',
    outcome: 'ok',
  }
  await insertCopies(
    tx,
    'audit_log',
    { tenant_id: tenantId, principal_id: principalId, task: entry.task, outcome: 'ok', previous_hash: HASH, hash: HASH },
    entries.map(({ n, seq }) => ({ seq, at: at(n), entry: JSON.stringify({ at: at(n), ...entry, subject: `mb_grown_${n}` }) })),
  )
}

const ENDPOINT = 'whe_grown'

async function addEndpoint(tx: Db, { tenant_id, principal_id }: Owner, now: Date): Promise<void> {
  const kept = { media_buy_id: null, loopback: 0, scheme: null, credentials: null, token: null, ended_at: null }
  const own = { kind: 'push' as const, task_id: 'task_grown', task_type: 'create_media_buy', settings: '{}' }
  const row = { endpoint_id: ENDPOINT, tenant_id, principal_id, url: 'https://buyer.example/hook', created_at: now.toISOString() }
  await tx
    .insertInto('webhook_endpoints')
    .values({ ...row, ...own, ...kept })
    .onConflict((c) => c.doNothing())
    .execute()
}

const CREATIVE = {
  format_agent: 'https://creative.example',
  format_id: 'display_300x250',
  format_width: null,
  format_height: null,
  format_duration: null,
  concept_id: null,
  has_variables: 0,
  status: 'approved',
  status_reason: null,
  approved_at: null,
  document: JSON.stringify({
    name: 'Banner',
    formatId: { agentUrl: 'https://creative.example', id: 'display_300x250' },
    assets: {},
    tags: [],
  }),
  revision: 1,
}

const APPROVAL = {
  task_type: 'create_media_buy',
  state: 'approved',
  reason: 'orders of this buyer need approval',
  summary: '{}',
  document: '{}',
  conditions: '[]',
  note: null,
  reminded: 0,
  revision: 2,
}

const WEBHOOK = {
  endpoint_id: ENDPOINT,
  endpoint_key: 'grown',
  position: 1,
  event: 'create_media_buy completed',
  body: '{}',
  attempts: 1,
  lease: null,
  last_status: 200,
  last_error: null,
}
