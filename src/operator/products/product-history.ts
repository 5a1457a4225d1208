import type { AuditEntry } from '../../domain/audit/entry.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listAuditAbout, listUnsealed } from '../../store/audit/audit.ts'
import type { Db } from '../../store/database.ts'
import { listPeople } from '../../store/people/people.ts'
import { findOwnProduct, listProductIds } from '../../store/product/product-list.ts'
import { defineAct } from '../act.ts'
import { DEFAULT_PAGE, paged } from '../fields.ts'
import { missingProduct } from '../missing-product.ts'
import { READERS } from '../roles.ts'
import { about, anything, list, listOf, moment, named, object, pageOf, string } from '../shape.ts'
import { PRODUCT } from './product-shapes.ts'

const IMPORT = 'products.import'
/** Acts that change products, as the audit log names them: those in parts are there by their parts. */
export const PRODUCT_CHANGES: readonly string[] = [
  'products.save',
  'products.set',
  'products.archive',
  'products.restore',
  'products.set-season',
  'products.remove-season',
  IMPORT,
]
/** Entries that are not in the chain yet which are looked through: a second of work. */
const NEWEST = 100

const version = named(
  'ProductVersion',
  object({
    at: moment,
    by: about('name of the person, or how the audit log names who acted', string),
    act: about('as the audit log has it, e.g. products.set', string),
    changes: about(
      'empty: the product was added; an import that changes more than 100 values of all its products names 100',
      listOf(object({ field: about('e.g. pricing_options[cpm].fixed_price', string), before: anything, after: anything })),
    ),
  }),
)

/** Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for a cursor of another list. */
export const productHistory = defineAct({
  name: 'products.history',
  route: 'GET /products/{product}/history',
  id: 'listProductVersions',
  roles: READERS,
  summary: 'The versions of a product, newest first: when, by whom, and old and new of each value, from the audit log.',
  fields: { product: PRODUCT, ...paged('versions') },
  answer: pageOf(version),
  command: {
    columns: [
      ['AT', ({ at }) => at],
      ['WHO', ({ by }) => by],
      ['ACT', ({ act }) => act],
      ['CHANGED', ({ changes }) => changes.map((each) => `${each.field}: ${each.before} → ${each.after}`).join('; ') || 'added'],
    ],
  },
  async run(context, { product, cursor, limit = DEFAULT_PAGE }) {
    const { store, tenantId } = context
    const before = cursor === undefined ? undefined : numberOf(cursor)
    const longer = (await listProductIds(store.read, tenantId)).filter((id) => id.startsWith(`${product}.`))
    const ofProduct = (entry: AuditEntry) => changesOf(entry, product, longer)
    const waiting = before === undefined ? await listUnsealed(store.read, tenantId, NEWEST) : []
    const texts = [`"subject":${JSON.stringify(product)}`, JSON.stringify(`${product}.`).slice(0, -1)]
    const found = await listAuditAbout(store.read, tenantId, { tasks: PRODUCT_CHANGES, texts, before, limit })
    const keyOf = ({ at, request }: AuditEntry) => `${at} ${request}`
    const sealed = new Set(found.map(keyOf))
    const entries = [...waiting.filter((entry) => PRODUCT_CHANGES.includes(entry.task) && !sealed.has(keyOf(entry))), ...found]
    const names = await namesOf(store.read)
    const items = entries.flatMap((entry) => {
      const changes = entry.outcome === 'ok' ? ofProduct(entry) : undefined
      return changes === undefined ? [] : [{ at: entry.at, by: whoOf(entry, names), act: entry.task, changes }]
    })
    // A product that an import took away has its history; one that never was there has none.
    if (items.length === 0 && found.length === 0 && !(await findOwnProduct(store.read, tenantId, product)))
      throw await missingProduct(store.read, tenantId, product, 'product')
    const last = found.length === limit ? found.at(-1) : undefined
    return list(items, last ? String(last.seq) : null)
  },
})

interface Changed {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** What an entry changed of a product; undefined: it is about others. `longer`: ids of products that begin with its id and a dot. */
function changesOf(
  { task, subject, changes = {} }: AuditEntry,
  product: string,
  longer: readonly string[],
): Changed[] | undefined {
  const rows = Object.entries(changes).map(([field, [before, after]]) => ({ field, before, after }))
  if (task !== IMPORT) return subject === product ? rows : undefined
  const isOf = (field: string, id: string) => field.startsWith(`${id}.`)
  const own = rows.filter(({ field }) => isOf(field, product) && !longer.some((id) => isOf(field, id)))
  return own.length === 0 ? undefined : own.map((row) => ({ ...row, field: row.field.slice(product.length + 1) }))
}

async function namesOf(db: Db): Promise<ReadonlyMap<string, string>> {
  return new Map((await listPeople(db)).map(({ username, name }) => [`person:${username}`, name]))
}

function whoOf({ principal, credential }: AuditEntry, names: ReadonlyMap<string, string>): string {
  if (principal === undefined) return 'unknown'
  const person = names.get(principal)
  if (person !== undefined) return person
  return principal === 'operator' ? (credential ?? principal) : principal.replace(/^person:/, '')
}

function numberOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw new AdcpError('INVALID_REQUEST', 'cursor is the next_cursor of the page before', { field: 'cursor' })
}
