import type { AdServerBackend } from '../../ad-serving/backend.ts'
import type { SettingsObject } from '../../ad-serving/backend-setup.ts'
import { EMBEDDED, SIMULATOR } from '../../ad-serving/external-id.ts'
import type { DriftPolicy } from '../../domain/ad-serving/drift.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCredentials, removeCredentials, saveCredentials } from '../../store/ad-serving/ad-server-credentials.ts'
import { makeDue, openOrdersAt } from '../../store/ad-serving/ad-server-orders.ts'
import {
  listStoredAdServers,
  removeStoredAdServer,
  type StoredAdServer,
  saveStoredAdServer,
} from '../../store/ad-serving/stored-ad-servers.ts'
import type { Db } from '../../store/database.ts'
import { findProduct } from '../../store/product/products.ts'
import type { ActContext, Watching } from '../act.ts'
import { concealed } from '../changed-members.ts'
import { missingProduct } from '../missing-product.ts'
import type { OperatorContext } from '../operator-context.ts'
import { requirePublisher } from '../require-publisher.ts'
import { requireUnreserved } from '../reserved-ids.ts'
import { sealTried } from './ad-server-credentials.ts'
import { keepablePrice } from './require-keepable.ts'

/** What an ad server of a publisher is set to; what is absent stays as it is, or has its default when the ad server is new. */
export interface AdServerChange {
  /** Settings that are not secret, as its type has them. Default: none. */
  readonly options?: SettingsObject
  /** What happens when the ad server differs from what was written there. Default: leave. */
  readonly drift?: DriftPolicy
  /** Products that it serves; `all`: every product that no other ad server is set for. Default: all. */
  readonly products?: readonly string[] | 'all'
}

/** A new ad server; with `credentials`, which are tried first unless `check` is false, and stored encrypted. */
export interface NewAdServer extends AdServerChange {
  readonly name: string
  readonly type: string
  readonly credentials?: SettingsObject
  readonly check?: boolean | undefined
}

/** Far more than publishers have; each costs a connection pool in every process. */
const MOST_AD_SERVERS = 20
const MOST_PRODUCTS = 1_000
const MOST_OPTIONS_BYTES = 16_384

/**
 * Sets an ad server up for a publisher, in front of what the configuration names. Throws INVALID_REQUEST for a name that is taken, a type that is not
 * built in, options that the type does not take, and products that another ad server serves or whose prices it cannot keep; REFERENCE_NOT_FOUND for products that do not exist.
 */
export async function addAdServer(
  context: ActContext,
  tenantId: string,
  { name, type, credentials, check, ...change }: NewAdServer,
): Promise<ShownSetting> {
  requireUnreserved('ad server', name, 'name')
  await requireType(context, name, type)
  const sealed = credentials && (await sealTried(context, { name, type, options: change.options ?? {}, credentials, check }))
  const configured = (await context.services.adServers()).list(tenantId)
  return save(context, tenantId, async (tx, stored) => {
    await requirePublisher(tx, tenantId)
    const isBuiltInName = name === EMBEDDED || name === SIMULATOR
    if (stored.some((one) => one.name === name) || (!isBuiltInName && configured.some((one) => one.name === name)))
      throw invalid(
        'name',
        `${tenantId} has an ad server "${name}"; adservers set changes one that was added, or choose another name`,
      )
    if (stored.length >= MOST_AD_SERVERS) throw invalid('name', `a publisher has ${MOST_AD_SERVERS} ad servers at most`)
    if (sealed !== undefined) await saveCredentials(tx, tenantId, name, sealed, context.clock())
    const fresh = { tenantId, name, type, options: {}, drift: 'leave' as const, products: undefined, updatedAt: '' }
    return changed(fresh, change)
  })
}

/** Changes an ad server that was added. Throws as {@link addAdServer}, and REFERENCE_NOT_FOUND when it was not added. */
export async function setAdServer(
  context: ActContext,
  tenantId: string,
  { name, ...change }: AdServerChange & { readonly name: string },
): Promise<ShownSetting> {
  return save(context, tenantId, async (_tx, stored) => changed(getStored(stored, tenantId, name), change))
}

/**
 * Removes an ad server that was added, with its credentials. Throws REFERENCE_NOT_FOUND, and INVALID_STATE while orders lie there that are not over.
 */
export async function removeAdServer(context: ActContext, tenantId: string, name: string): Promise<void> {
  await context.store.transaction(async (tx) => {
    const { type } = getStored(await listStoredAdServers(tx, tenantId), tenantId, name)
    const open = type === EMBEDDED || type === SIMULATOR ? [] : await openOrdersAt(tx, tenantId, name, MOST_NAMED)
    if (open.length > 0) {
      const message = `orders lie at ${name} that are not over: ${open.join(', ')}; give their products to another ad server and wait for their end, or cancel them`
      throw new AdcpError('INVALID_STATE', message, { field: 'name' })
    }
    await removeStoredAdServer(tx, tenantId, name)
    await removeCredentials(tx, tenantId, name)
  })
  await refresh(context)
}

/** Orders that a refusal names. */
const MOST_NAMED = 5

export type ShownSetting = ReturnType<typeof shown>

function shown({ name, type, options, drift, products }: StoredAdServer) {
  return { name, type, options, drift, products: products ?? ('all' as const) }
}

/** The ad servers that were added for a publisher, as they are set. */
export async function listSettings(
  { store }: Pick<OperatorContext, 'store'>,
  tenantId: string,
): Promise<readonly ShownSetting[]> {
  return (await listStoredAdServers(store.read, tenantId)).map(shown)
}

/** What a change of an ad server changes, for the audit log. */
export async function watchedSetting(
  tx: Db,
  { tenantId }: Watching,
  { name }: { readonly name: string },
): Promise<object | undefined> {
  const stored = (await listStoredAdServers(tx, tenantId)).find((one) => one.name === name)
  return stored && shown(stored)
}

/** What is stored of an ad server as a whole, for the audit log: its settings, and whether it has credentials. */
export async function watchedAdServer(tx: Db, context: Watching, named: { readonly name: string }): Promise<object> {
  return { ...(await watchedSetting(tx, context, named)), ...(await watchedCredentials(tx, context, named)) }
}

/** Whether an ad server has credentials, and that others came. */
export async function watchedCredentials(
  tx: Db,
  { tenantId }: Watching,
  { name }: { readonly name: string },
): Promise<{ readonly credentials: object | undefined }> {
  return { credentials: concealed((await findCredentials(tx, tenantId, name))?.sealed) }
}

async function save(
  context: ActContext,
  tenantId: string,
  change: (tx: Db, stored: readonly StoredAdServer[]) => Promise<StoredAdServer>,
): Promise<ShownSetting> {
  const saved = await context.store.transaction((tx) => saveIn(tx, context, tenantId, change))
  await refresh(context)
  return shown(saved)
}

/** Changes an ad server within a transaction; {@link refresh} comes after it. Throws as {@link setAdServer}. */
export async function saveIn(
  tx: Db,
  context: ActContext,
  tenantId: string,
  change: (tx: Db, stored: readonly StoredAdServer[]) => Promise<StoredAdServer>,
): Promise<StoredAdServer> {
  const stored = await listStoredAdServers(tx, tenantId)
  const next = await change(tx, stored)
  const backend = await requireOptions(context, next)
  await requireProducts(tx, next, stored, (product) => backend && keepablePrice(backend, product, context.clock()))
  await saveStoredAdServer(tx, next, context.clock())
  await makeDue(tx, tenantId, { adServer: next.name }, context.clock())
  return next
}

/** Has this process know what the store has of ad servers. */
export async function refresh({ services }: OperatorContext): Promise<void> {
  await (await services.adServers()).refresh()
}

function changed(before: StoredAdServer, { options, drift, products }: AdServerChange): StoredAdServer {
  return {
    ...before,
    ...(options && { options }),
    ...(drift && { drift }),
    ...(products !== undefined && { products: products === 'all' ? undefined : [...new Set(products)] }),
  }
}

/** An ad server that was added. Throws REFERENCE_NOT_FOUND, which names those that were. */
export function getStored(stored: readonly StoredAdServer[], tenantId: string, name: string): StoredAdServer {
  const found = stored.find((one) => one.name === name)
  if (found) return found
  const names = stored.map((one) => one.name).join(', ') || 'none'
  const message = `no ad server "${name}" was added for ${tenantId}; there are: ${names}. Those of the configuration file change there`
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'name' })
}

async function requireType({ services }: OperatorContext, name: string, type: string): Promise<void> {
  const types = [...(await services.builtInAdServers()).types, EMBEDDED, SIMULATOR]
  if (!types.includes(type)) throw invalid('type', `"${type}" is no type of ad server; there are ${types.join(', ')}`)
  const fixed = [EMBEDDED, SIMULATOR].find((one) => one === type || one === name)
  if (fixed !== undefined && name !== type)
    throw invalid('name', `an ad server of type ${fixed} is named ${fixed}, and no other one is`)
}

/** Made, not called: the type says which options it takes. */
async function requireOptions(
  { services }: OperatorContext,
  { tenantId, name, type, options }: StoredAdServer,
): Promise<AdServerBackend | undefined> {
  const bytes = Buffer.byteLength(JSON.stringify(options))
  if (bytes > MOST_OPTIONS_BYTES) throw invalid('options', `options have ${bytes} bytes; at most ${MOST_OPTIONS_BYTES}`)
  if (type === EMBEDDED || type === SIMULATOR) {
    if (Object.keys(options).length > 0) throw invalid('options', `type ${type} takes no options`)
    return undefined
  }
  try {
    return (await services.builtInAdServers()).make(type, { name, tenantId, options, credentials: async () => undefined })
  } catch (error) {
    throw invalid('options', error instanceof Error ? error.message : String(error))
  }
}

async function requireProducts(
  tx: Db,
  next: StoredAdServer,
  stored: readonly StoredAdServer[],
  requireKept: (product: ProductDocument) => unknown,
): Promise<void> {
  const others = stored.filter(({ name }) => name !== next.name)
  const { products } = next
  if (products === undefined) {
    const whole = others.find((one) => one.products === undefined)
    if (whole) throw invalid('products', `${whole.name} serves all products already; name the products of one of the two`)
    return
  }
  if (products.length > MOST_PRODUCTS) throw invalid('products', `${products.length} products; at most ${MOST_PRODUCTS}`)
  for (const productId of products) {
    const other = others.find((one) => one.products?.includes(productId))
    if (other) throw invalid('products', `${other.name} serves the product ${productId} already`)
    const product = await findProduct(tx, next.tenantId, productId)
    if (product) {
      requireKept(product)
      continue
    }
    throw await missingProduct(tx, next.tenantId, productId, 'products')
  }
}

function invalid(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field })
}
