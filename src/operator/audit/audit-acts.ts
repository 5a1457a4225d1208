import { seal } from '../../features/audit/audit.ts'
import { verifyChain } from '../../features/audit/verify-chain.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { chainedTenants, countUnsealed, listAudit } from '../../store/audit/audit.ts'
import { type ActContext, defineAct } from '../act.ts'
import { atMost, CURSOR, DEFAULT_PAGE, paged, text, type Values } from '../fields.ts'
import { moment } from '../moment.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { about, integer, list, listOf, named, type Of, object, optional, pageMembers, pageOf, string } from '../shape.ts'
import { idText, inForm, type TextForm } from '../text-form.ts'
import { entryShape, linkShape } from './audit-shapes.ts'
import { changeLine } from './change-text.ts'
import { type AuditLink, exportAudit } from './read-audit.ts'

// Several acts in one file: the same act for a publisher, for the deployment, or for one buyer.

const MOST_ENTRIES = 500
const MOST_LINKS = 10_000
/** Of entries in one answer, which is written in one turn. */
const MOST_LINK_BYTES = 4_000_000
/** In whose log unknown callers and acts on the whole deployment are. */
const DEPLOYMENT = ''
const OF_DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const

const FILTER = {
  who: idText('of whom: the id of a buyer, operator, or person:NAME'),
  task: idText('one task of a buyer, or one act such as orders.pause'),
  outcome: idText('ok, or an error code'),
  since: moment('at or after this time'),
  ...paged('entries', MOST_ENTRIES),
}
const WAITING = about(
  'entries of all publishers that are written and not in a chain, and so in no list, yet: more than 500 at once, or a store that cannot be written',
  integer,
)
const entries = object({ ...pageMembers(entryShape), waiting: WAITING })
const links = pageOf(linkShape)

/** What unknown callers did, and acts on the whole deployment. */
export const listDeploymentAudit = defineAct({
  ...OF_DEPLOYMENT,
  name: 'audit.list-unknown',
  route: 'GET /deployment/audit',
  id: 'listDeploymentAudit',
  summary: 'Calls of unknown callers and acts on the whole deployment, newest first.',
  fields: FILTER,
  answer: entries,
  run: (context, values) => entriesOf(context, DEPLOYMENT, values),
})

/** The audit log of a publisher. */
export const listAuditEntries = defineAct({
  name: 'audit.list',
  route: 'GET /audit',
  id: 'listAuditEntries',
  roles: READERS,
  summary: 'Calls that changed something or were refused, and acts of the publisher’s people, newest first.',
  fields: FILTER,
  answer: entries,
  command: {
    help: 'show the newest entries, newest first',
    aliases: { who: ['buyer', 'principal'] },
    instead: {
      flag: 'unknown',
      about: 'calls of unknown callers and acts on the whole deployment, in place of a tenant',
      act: listDeploymentAudit,
      values: (values) => values,
      isShownAlike: true,
    },
    columns: [
      ['NUMBER', ({ seq }) => String(seq)],
      ['AT', ({ at }) => at],
      ['WHO', ({ principal }) => principal ?? '-'],
      ['KEY', ({ credential }) => credential ?? '-'],
      ['TASK', ({ task }) => task],
      ['ACCOUNT', ({ account }) => account ?? '-'],
      ['ABOUT', ({ subject }) => subject ?? '-'],
      ['OUTCOME', outcomeText],
      ['CHANGED', ({ changes }) => changeLine(changes)],
    ],
    footer: ({ waiting }, { cursor }) =>
      cursor === undefined && waiting > 0
        ? ['', `${waiting} newer entries are written and not chained yet; list again, or look at the store if it stays so`]
        : [],
  },
  run: (context, values) => entriesOf(context, context.tenantId, values),
})

function outcomeText({ outcome, replay, count }: Of<typeof entryShape>): string {
  return `${outcome}${replay ? ' (replay)' : ''}${count === undefined ? '' : ` ×${count}`}`
}

async function entriesOf(
  { store }: ActContext,
  tenantId: string,
  { who: principal, cursor, limit = DEFAULT_PAGE, since, task, outcome }: Values<typeof FILTER>,
): Promise<Of<typeof entries>> {
  // What was just done is shown, also where no server runs. A store that cannot be written can still be read: `waiting` says what is missing.
  if (cursor === undefined && (await countUnsealed(store.read)) > 0) await seal(store).catch(() => 0)
  const filter = { principal, task, outcome, before: numberOf(cursor), since }
  const found = await listAudit(store.read, tenantId, { ...filter, limit })
  const last = found.length === limit ? found.at(-1) : undefined
  return { ...list(found, last ? String(last.seq) : null), waiting: await countUnsealed(store.read) }
}

/** Links of the chain of unknown callers and of the deployment. */
export const exportDeploymentAudit = defineAct({
  ...OF_DEPLOYMENT,
  name: 'audit.export-unknown',
  route: 'GET /deployment/audit/export',
  id: 'exportDeploymentAudit',
  summary: 'Links of the chain of unknown callers and acts on the whole deployment; at most 10,000.',
  fields: CURSOR,
  answer: links,
  run: (context, values) => linksOf(context, DEPLOYMENT, values),
})

/** The command line writes the whole chain, a link a line. */
export const exportAuditLinks = defineAct({
  name: 'audit.export',
  route: 'GET /audit/export',
  id: 'exportAudit',
  roles: READERS,
  summary: 'Links of the chain in their order, with the hashes that hold it together; at most 10,000.',
  fields: CURSOR,
  answer: links,
  run: (context, values) => linksOf(context, context.tenantId, values),
})

async function linksOf(context: ActContext, tenantId: string, { cursor }: Values<typeof CURSOR>): Promise<Of<typeof links>> {
  const page: AuditLink[] = []
  let bytes = 0
  for await (const { bytes: more, ...link } of exportAudit(context, tenantId, numberOf(cursor))) {
    bytes += more
    const isFull = page.length === MOST_LINKS || (page.length > 0 && bytes > MOST_LINK_BYTES)
    if (isFull) return list(page, String(page.at(-1)?.number))
    page.push(link)
  }
  return list(page)
}

const verdict = object({
  chains: listOf(
    named(
      'ChainReport',
      object({
        tenant: string,
        links: integer,
        head: about('hash of the last link, to be stored elsewhere: without it a truncated chain verifies', string),
        broken: optional(about('why the chain does not hold, in words', string)),
      }),
    ),
  ),
  waiting: WAITING,
})

/** Every chain of the deployment. */
export const verifyAllAudit = defineAct({
  ...OF_DEPLOYMENT,
  name: 'audit.verify-all',
  route: 'GET /deployment/audit/verify',
  id: 'verifyAllAudit',
  summary: 'Follows every chain of the deployment from its start.',
  fields: {},
  answer: verdict,
  run: async (context) => verdictOn(context, await chainedTenants(context.store.read)),
})

const HEAD: TextForm = { pattern: '^\\d{1,15}:[0-9a-f]{64}$', words: 'number:hash as audit verify prints it' }

export const verifyAudit = defineAct({
  name: 'audit.verify',
  route: 'GET /audit/verify',
  id: 'verifyAudit',
  roles: READERS,
  summary: 'Follows the chain of the publisher from its start.',
  fields: { head: inForm(HEAD, atMost(80, text('what an earlier verification gave: the chain must still hold it'))) },
  answer: verdict,
  command: {
    help: 'follow every chain, or with --tenant that of one publisher, from its start; exit code 1 when one does not hold',
    withoutTenant: verifyAllAudit,
    fails: ({ chains }) => chains.some(({ broken }) => broken !== undefined),
    text({ chains, waiting }) {
      const lines = [
        ...chains.map(chainLine),
        ...(waiting > 0 ? [`${waiting} entries are written and not chained yet; a running server does that`] : []),
      ]
      return lines.length > 0 ? lines : ['no entries yet']
    },
  },
  run: (context, { head }) => verdictOn(context, [context.tenantId], head === undefined ? undefined : headOf(head)),
})

async function verdictOn({ store }: ActContext, tenants: readonly string[], head?: ReturnType<typeof headOf>) {
  const chains = []
  for (const tenant of tenants) chains.push(await verifyChain(store.read, tenant, head))
  return { chains, waiting: await countUnsealed(store.read) }
}

function chainLine({ tenant, links: length, head, broken }: Of<typeof verdict>['chains'][number]): string {
  const name = tenant === DEPLOYMENT ? '(unknown callers, and the deployment)' : tenant
  return broken === undefined ? `${name}: ${length} entries hold, head ${length}:${head}` : `${name}: BROKEN, ${broken}`
}

function headOf(given: string): { readonly seq: number; readonly hash: string } {
  const [seq, hash = ''] = given.split(':')
  return { seq: Number(seq), hash }
}

/** The number of an entry that a cursor of the log is. */
function numberOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  throw new AdcpError('INVALID_REQUEST', 'cursor does not belong to this list: send the next_cursor of its last page', {
    field: 'cursor',
  })
}
