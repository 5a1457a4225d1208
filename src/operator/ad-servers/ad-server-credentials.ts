import type { SettingsObject } from '../../ad-serving/backend-setup.ts'
import { withTimeLimit } from '../../ad-serving/reconcile/timed-backend.ts'
import { reasonOf } from '../../domain/ad-serving/reason-of.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { removeCredentials, saveCredentials } from '../../store/ad-serving/ad-server-credentials.ts'
import { makeDue } from '../../store/ad-serving/ad-server-orders.ts'
import { listStoredAdServers } from '../../store/ad-serving/stored-ad-servers.ts'
import type { ActContext } from '../act.ts'
import type { BuiltInAdServerParts, OperatorContext } from '../operator-context.ts'

/** A service account with its key has about 2,500 bytes. */
const MOST_BYTES = 65_536
/** How long new credentials are tried, in milliseconds. */
const CHECK_MS = 20_000

/** Reads credentials from a JSON text. Throws INVALID_REQUEST for what is no JSON object, without repeating it. */
export function readCredentials(text: string): SettingsObject {
  if (Buffer.byteLength(text) > MOST_BYTES) throw invalid(`credentials have at most ${MOST_BYTES} bytes`)
  const value = foreignJsonIn(text)
  if (value === undefined)
    throw invalid('credentials must be a JSON object, such as the key file of a service account or {"apiKey": "…"}')
  if (isObject(value)) return value
  throw invalid('credentials must be a JSON object with at least one member')
}

/**
 * Stores the credentials of an ad server of a publisher, encrypted, in the place of those that were there; running processes use them with their next
 * call. Unless `check` is false, they are tried first, and the old ones stay when the ad server does not take them. Throws REFERENCE_NOT_FOUND for an ad
 * server that takes none, INVALID_REQUEST for credentials that were refused.
 */
export async function setCredentials(
  context: ActContext,
  tenantId: string,
  { name, credentials, check = true }: { readonly name: string; readonly credentials: SettingsObject; readonly check?: boolean },
): Promise<{ readonly name: string; readonly checked: boolean }> {
  const { services, store, clock } = context
  const setting = await findSetting(context, tenantId, name, await services.builtInAdServers())
  const sealed = await sealTried(context, { name, ...setting, credentials, check })
  await store.transaction(async (tx) => {
    await saveCredentials(tx, tenantId, name, sealed, clock())
    await makeDue(tx, tenantId, { adServer: name }, clock())
  })
  return { name, checked: check }
}

interface Tried {
  readonly name: string
  readonly type: string
  readonly options: SettingsObject
  readonly credentials: SettingsObject
  /** Default: true. */
  readonly check?: boolean | undefined
}

/** Credentials, sealed, once an ad server of that type and with these options takes them. Throws INVALID_REQUEST when it does not. */
export async function sealTried(
  { services, tenantId }: ActContext,
  { name, type, options, credentials, check = true }: Tried,
): Promise<string> {
  requireCredentials(credentials)
  const builtIn = await services.builtInAdServers()
  if (!builtIn.types.includes(type)) throw invalid(`type ${type} takes no credentials; those are for ${builtIn.types.join(', ')}`)
  if (check) {
    const backend = builtIn.make(type, { name, tenantId, options, credentials: async () => credentials })
    const reason = await (backend ? withTimeLimit(backend, CHECK_MS).check() : Promise.resolve()).then(() => undefined, reasonOf)
    if (reason !== undefined)
      throw invalid(
        `${name} does not take these credentials (${reason}); nothing was changed. --no-check stores them all the same`,
      )
  }
  return builtIn.seal(credentials, tenantId, name)
}

function requireCredentials(credentials: SettingsObject): void {
  if (Object.keys(credentials).length === 0) throw invalid('credentials must be a JSON object with at least one member')
  if (Buffer.byteLength(JSON.stringify(credentials)) > MOST_BYTES) throw invalid(`credentials have at most ${MOST_BYTES} bytes`)
}

/** Deletes the stored credentials of an ad server. Throws REFERENCE_NOT_FOUND when there are none. */
export async function removeStoredCredentials(context: ActContext, tenantId: string, name: string): Promise<void> {
  await context.store.transaction(async (tx) => {
    if (await removeCredentials(tx, tenantId, name)) return
    throw new AdcpError('REFERENCE_NOT_FOUND', `no credentials of "${name}" are stored for ${tenantId}`, { field: 'name' })
  })
}

/** The setting of an ad server by its name: as it was added, or as the configuration has it. */
async function findSetting(
  { store }: OperatorContext,
  tenantId: string,
  name: string,
  { types, configured }: BuiltInAdServerParts,
): Promise<{ readonly type: string; readonly options: SettingsObject }> {
  const stored = (await listStoredAdServers(store.read, tenantId)).find((one) => one.name === name)
  const found = stored ?? configured(tenantId).find((one) => one.name === name)
  if (found && types.includes(found.type)) return found
  const message = `${tenantId} has no ad server "${name}" of a type that takes credentials (${types.join(', ')}); sales-agent adservers list shows all`
  throw new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'name' })
}

function invalid(message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', message, { field: 'credentials' })
}
