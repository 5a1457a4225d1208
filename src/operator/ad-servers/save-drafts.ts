import { PRODUCT_STATUSES } from '../../domain/product/product.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { findOwnProduct } from '../../store/product/product-list.ts'
import { type ActContext, defineAct } from '../act.ts'
import { object as jsonObject, required } from '../fields.ts'
import { importIn } from '../products/import-products.ts'
import { unservedNotes } from '../products/unserved-products.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, listOf, object, string, word } from '../shape.ts'
import { getStored, refresh, saveIn, watchedSetting } from './manage-ad-servers.ts'
import { NAME, ONLY_ONE } from './named-ad-server.ts'

/** Products in one call; each is read and checked whole. */
const MOST_DRAFTS = 50

export const saveDrafts = defineAct({
  name: 'adservers.save-drafts',
  route: 'POST /ad-servers/{name}/drafts',
  id: 'saveProductDrafts',
  roles: ADMINISTRATORS,
  summary:
    'Saves suggested products after somebody looked at them: the products, their places in the options of the ad server, and that it serves them. All of it or nothing.',
  fields: {
    name: NAME,
    drafts: required(
      jsonObject('what suggestProducts answered, as it was changed since: document.products, and options.products by product id'),
    ),
  },
  answer: object({
    name: string,
    products: listOf(object({ product_id: string, status: about('whether it is for sale', word(...PRODUCT_STATUSES)) })),
  }),
  subject: 'name',
  watch: watchedSetting,
  command: {
    args: [],
    flags: { name: 'ad-server', drafts: 'file' },
    files: ['drafts'],
    fill: ONLY_ONE,
    help: 'save the products of a file that adservers suggest --json wrote and somebody looked at',
    text: ({ name, products }) => products.map(({ product_id: id, status }) => `${id} is ${status}, served by ${name}`),
    notes: unservedNotes,
  },
  run: (context, { name, drafts }) => saveProductDrafts(context, name, readDrafts(drafts)),
})

interface Drafts {
  readonly products: readonly ProductDocument[]
  /** Places by product id. */
  readonly places: Readonly<Record<string, unknown>>
}

/** Reads what is checked elsewhere only as far as it is needed here. Throws INVALID_REQUEST. */
function readDrafts(drafts: Readonly<Record<string, unknown>>): Drafts {
  const products = isObject(drafts.document) ? drafts.document.products : undefined
  const places = isObject(drafts.options) ? drafts.options.products : undefined
  const isProduct = (one: unknown): one is ProductDocument => isObject(one) && typeof one.product_id === 'string'
  if (!Array.isArray(products) || !products.every(isProduct) || !isObject(places))
    throw refused('document.products is a list of products, and options.products an object with a place for each of them')
  if (products.length === 0 || products.length > MOST_DRAFTS)
    throw refused(`document.products has ${products.length} products; 1 to ${MOST_DRAFTS} are saved at a time`)
  const missing = products.find(({ product_id: id }) => !Object.hasOwn(places, id))
  if (missing) throw refused(`options.products has no place for ${missing.product_id}; name its ad units and sizes`)
  return { products, places }
}

async function saveProductDrafts(context: ActContext, name: string, { products, places }: Drafts) {
  const { store, tenantId } = context
  const ids = products.map((product) => product.product_id)
  context.noteChanges({ drafts: [null, ids.join(', ')] })
  await store.transaction(async (tx) => {
    for (const id of ids)
      if (await findOwnProduct(tx, tenantId, id))
        throw new AdcpError('CONFLICT', `there is a product ${id} already; give the draft another id, or leave it out`, {
          field: 'drafts',
        })
    const file = { name: 'drafts.json', sent: 'drafts' as const, text: JSON.stringify({ version: 1, products }) }
    await importIn(tx, context, { tenantId, file, merge: true })
    await saveIn(tx, context, tenantId, async (_tx, all) => {
      const before = getStored(all, tenantId, name)
      const own = isObject(before.options.products) ? before.options.products : {}
      const added = Object.fromEntries(ids.map((id) => [id, places[id]]))
      return {
        ...before,
        options: { ...before.options, products: { ...own, ...added } },
        products: before.products && [...new Set([...before.products, ...ids])],
      }
    })
  })
  await refresh(context)
  return {
    name,
    products: products.map(({ product_id, selling: { status = 'active' } }) => ({ product_id, status })),
  }
}

function refused(message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `drafts: ${message}`, { field: 'drafts' })
}
