import { Command, InvalidArgumentError } from 'commander'
import { verifyChain } from '../features/audit/verify-chain.ts'
import { AdcpError } from '../protocol/errors.ts'
import { chainedTenants, countUnsealed, listAudit, readLinks } from '../store/audit/audit.ts'
import type { Store } from '../store/database.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface ListOptions extends StoreOptions {
  readonly tenant?: string
  readonly unknown?: boolean
  readonly principal?: string
  readonly task?: string
  readonly outcome?: string
  readonly since?: string
  readonly before?: number
  readonly limit: number
  readonly json?: boolean
}

interface VerifyOptions extends StoreOptions {
  readonly tenant?: string
  readonly head?: string
  readonly json?: boolean
}

/** `sales-agent audit list|export|verify`: every call that changed something or was refused, and what operators changed. */
export function auditCommand(): Command {
  const audit = new Command('audit').description(
    'the append-only log of calls that changed something or were refused, and of what operators changed',
  )
  withStoreOptions(audit.command('list').description('show the newest entries, newest first'))
    .option('--tenant <id>')
    .option('--unknown', 'calls of callers that nobody knows and acts on the whole deployment, in place of a tenant')
    .option('--principal <id>')
    .option('--task <name>')
    .option('--outcome <code>', 'ok, or an error code')
    .option('--since <time>', 'at or after this time (ISO 8601)', isoTime)
    .option('--before <number>', 'entries before this number, to page on', positive)
    .option('--limit <n>', 'entries at most', positive, 50)
    .option('--json')
    .action((options: ListOptions) => withStore(options, (store) => list(store, options)))
  withStoreOptions(
    audit.command('export').description('write a whole chain as JSON lines, with the hashes that hold it together'),
  )
    .option('--tenant <id>')
    .option('--unknown', 'calls of callers that nobody knows and acts on the whole deployment, in place of a tenant')
    .action((options: ListOptions) => withStore(options, (store) => exportChain(store, options)))
  withStoreOptions(audit.command('verify').description('follow every chain from its start; exit code 1 when one does not hold'))
    .option('--tenant <id>')
    .option('--head <number:hash>', 'what an earlier verify of that tenant printed: the chain must still hold it')
    .option('--json')
    .action((options: VerifyOptions) => withStore(options, (store) => verify(store, options)))
  return audit
}

async function list(store: Store, options: ListOptions): Promise<void> {
  const { principal, task, outcome, since, before, limit } = options
  const entries = await listAudit(store.read, await tenantOf(store, options), { principal, task, outcome, since, before, limit })
  const rows = entries.map((entry) => [
    String(entry.seq),
    entry.at,
    entry.principal ?? '-',
    entry.credential ?? '-',
    entry.task,
    entry.account ?? '-',
    entry.subject ?? '-',
    `${entry.outcome}${entry.replay ? ' (replay)' : ''}${entry.count === undefined ? '' : ` ×${entry.count}`}`,
  ])
  print(options.json, { entries }, table(['number', 'at', 'principal', 'key', 'task', 'account', 'about', 'outcome'], rows))
}

/** Lines read at once. */
const PAGE = 1000

async function exportChain(store: Store, options: ListOptions): Promise<void> {
  const tenantId = await tenantOf(store, options)
  for (let after = 0; ; ) {
    const links = await readLinks(store.read, tenantId, after, PAGE)
    for (const { seq, entry, previousHash, hash } of links) {
      console.log(JSON.stringify({ number: seq, entry: JSON.parse(entry), previous_hash: previousHash, hash }))
    }
    const last = links.at(-1)
    if (!last || links.length < PAGE) return
    after = last.seq
  }
}

async function verify(store: Store, options: VerifyOptions): Promise<void> {
  const expected = headOf(options)
  const tenants = options.tenant === undefined ? await chainedTenants(store.read) : [options.tenant]
  const chains = []
  for (const tenant of tenants) chains.push(await verifyChain(store.read, tenant, expected))
  const waiting = await countUnsealed(store.read)
  const lines = chains.map(({ tenant, links, head, broken }) => {
    const name = tenant === '' ? '(callers nobody knows, and the deployment)' : tenant
    return broken === undefined ? `${name}: ${links} entries hold, head ${links}:${head}` : `${name}: BROKEN, ${broken}`
  })
  if (waiting > 0) lines.push(`${waiting} entries are written and not chained yet; a running server does that`)
  print(options.json, { chains, waiting }, lines.length > 0 ? lines : ['no entries yet'])
  if (chains.some((chain) => chain.broken !== undefined)) process.exitCode = 1
}

function headOf({ head, tenant }: VerifyOptions): { seq: number; hash: string } | undefined {
  if (head === undefined) return undefined
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(head) ?? []
  if (seq !== undefined && hash !== undefined && tenant !== undefined) return { seq: Number(seq), hash }
  throw new AdcpError('INVALID_REQUEST', '--head is number:hash as verify prints it, together with --tenant', { field: 'head' })
}

function tenantOf(store: Store, { tenant, unknown }: ListOptions): Promise<string> | string {
  return unknown ? '' : chooseTenant(store, tenant)
}

function positive(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('a whole number from 1')
  return number
}

function isoTime(text: string): string {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('an ISO 8601 time, e.g. 2026-01-31T00:00:00Z')
  return new Date(time).toISOString()
}
