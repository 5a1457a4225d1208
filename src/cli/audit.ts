import { Command, InvalidArgumentError } from 'commander'
import { countUnchained, exportAudit, listAuditEntries, verifyAudit } from '../operator/audit/read-audit.ts'
import { chooseTenant } from '../operator/choose-tenant.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { AdcpError } from '../protocol/errors.ts'
import { operate, type TenantOption } from './operate.ts'
import { print, printList, table, withMore } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface ListOptions extends TenantOption {
  readonly unknown?: boolean
  readonly principal?: string
  readonly task?: string
  readonly outcome?: string
  readonly since?: string
  readonly cursor?: number
  readonly limit: number
  readonly json?: boolean
}

interface VerifyOptions extends TenantOption {
  readonly head?: string
  readonly json?: boolean
}

/** `sales-agent audit list|export|verify`: every call that changed something or was refused, and what operators changed. */
export function auditCommand(): Command {
  const audit = new Command('audit')
  withStoreOptions(audit.command('list').description('show the newest entries, newest first'))
    .option('--tenant <id>')
    .option('--unknown', 'calls of unknown callers and acts on the whole deployment, in place of a tenant')
    .option('--principal <id>', 'of one buyer agent, operator, or person:NAME')
    .option('--task <name>', 'one task of a buyer, or one act such as orders.pause')
    .option('--outcome <code>', 'ok, or an error code')
    .option('--since <time>', 'at or after this time (ISO 8601)', isoTime)
    .option('--cursor <number>', 'next_cursor of the page before: entries before this number', positive)
    .option('--limit <n>', 'entries at most', positive, 50)
    .option('--json')
    .action((options: ListOptions) => operate(options, (operator) => list(operator, options)))
  withStoreOptions(
    audit.command('export').description('write a whole chain as JSON lines, with the hashes that hold it together'),
  )
    .option('--tenant <id>')
    .option('--unknown', 'calls of unknown callers and acts on the whole deployment, in place of a tenant')
    .action((options: ListOptions) => operate(options, (operator) => exportChain(operator, options)))
  withStoreOptions(audit.command('verify').description('follow every chain from its start; exit code 1 when one does not hold'))
    .option('--tenant <id>')
    .option('--head <number:hash>', 'what an earlier verify of that tenant printed: the chain must still hold it')
    .option('--json')
    .action((options: VerifyOptions) => operate(options, (operator) => verify(operator, options)))
  return audit
}

async function list(operator: OperatorContext, options: ListOptions): Promise<void> {
  const { principal, task, outcome, since, cursor: before, limit } = options
  const filter = { principal, task, outcome, since, before, limit }
  const entries = await listAuditEntries(operator, await tenantOf(operator, options), filter)
  const last = entries.length === limit ? entries.at(-1) : undefined
  const next = last ? String(last.seq) : null
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
  const lines = table(['NUMBER', 'AT', 'PRINCIPAL', 'KEY', 'TASK', 'ACCOUNT', 'ABOUT', 'OUTCOME'], rows)
  const isNewest = before === undefined && !options.json
  printList(options.json, entries, [...withMore(lines, next), ...(isNewest ? await unchained(operator) : [])], next)
}

/** What is written and not listed yet. */
async function unchained(operator: OperatorContext): Promise<string[]> {
  const waiting = await countUnchained(operator)
  return waiting === 0 ? [] : ['', `${waiting} newer entries are written and not chained yet; a running server does that`]
}

async function exportChain(operator: OperatorContext, options: ListOptions): Promise<void> {
  for await (const link of exportAudit(operator, await tenantOf(operator, options))) console.log(JSON.stringify(link))
}

async function verify(operator: OperatorContext, options: VerifyOptions): Promise<void> {
  const { chains, waiting } = await verifyAudit(operator, { tenantId: options.tenant, head: headOf(options) })
  const lines = chains.map(({ tenant, links, head, broken }) => {
    const name = tenant === '' ? '(unknown callers, and the deployment)' : tenant
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

function tenantOf(operator: OperatorContext, { tenant, unknown }: ListOptions): Promise<string> | string {
  return unknown ? '' : chooseTenant(operator, tenant)
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
