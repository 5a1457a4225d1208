import type { AdServer } from '../ad-serving/ad-server.ts'
import type { AdServerBackend } from '../ad-serving/backend.ts'
import { createCheckedAdServer } from '../ad-serving/checked-ad-server.ts'
import { capabilityFaults, createCheckedBackend } from '../ad-serving/checked-backend.ts'
import { AD_SERVER_METHODS, type AdServerSetup, BACKEND_METHODS } from '../ad-serving/define-ad-server.ts'
import { EMBEDDED, SIMULATOR } from '../ad-serving/external-id.ts'
import { withTimeLimit } from '../ad-serving/reconcile/timed-backend.ts'
import type { AdServerChoice } from '../config/ad-server-settings.ts'
import type { KnowsCode } from '../protocol/foreign-error.ts'
import { makeFromModule, moduleRefusal } from './load-module.ts'

/** An ad server of a module: called with each order, or reconciled with the stored ones. */
export type LoadedAdServer =
  | { readonly adServer: AdServer; readonly backend?: undefined }
  | { readonly backend: AdServerBackend; readonly adServer?: undefined }

/** Longest call to a reconciled ad server, milliseconds: a module that never answers would hold who asks it for good. The reconciler waits for less. */
const MOST_MS = 60_000

/** Names that stored order ids can carry (schemas/config.json, adServer.name). */
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/

/**
 * Loads the module that a setting of the configuration names and makes its ad server. `key` is the dotted path of the setting, for messages. Throws
 * ConfigError when there is no such module, when it exports no factory, and when what the factory makes is no ad server.
 */
export async function loadAdServer(
  key: string,
  choice: AdServerChoice,
  setup: AdServerSetup,
  knowsCode: KnowsCode,
): Promise<LoadedAdServer> {
  const refuse = moduleRefusal(key, choice)
  const made = await makeFromModule(choice, { setup, what: 'ad server', write: 'export default defineAdServer(…)' }, refuse)
  if (!isAdServer(made) && !isBackend(made)) return refuse(`makes no ad server: ${faultsOf(made).join('; ')}`)
  const name = choice.name ?? made.name
  if (!NAME.test(name) || name === SIMULATOR || name === EMBEDDED)
    return refuse(
      `names its ad server "${name}"; a name has 1 to 32 of a-z, 0-9, _ and -, and is neither ${SIMULATOR} nor ${EMBEDDED}. Or set ${key}.name`,
    )
  if (isBackend(made)) return { backend: withTimeLimit(createCheckedBackend(name, made, knowsCode), MOST_MS) }
  return { adServer: createCheckedAdServer(name, made, knowsCode, setup.log) }
}

/** The members are there; what the methods answer is checked with each call. */
function isAdServer(value: unknown): value is AdServer {
  return !isReconciled(value) && faultsOf(value).length === 0
}

function isBackend(value: unknown): value is AdServerBackend {
  return isReconciled(value) && faultsOf(value).length === 0
}

function isReconciled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'observe') === 'function'
}

function faultsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`it is ${value === null ? 'null' : typeof value}, not an object`]
  const methods: readonly string[] = isReconciled(value) ? BACKEND_METHODS : AD_SERVER_METHODS
  const missing = methods.filter((method) => typeof Reflect.get(value, method) !== 'function')
  return [
    ...(missing.length > 0 ? [`missing methods: ${missing.join(', ')}`] : []),
    ...['name', 'description']
      .filter((text) => typeof Reflect.get(value, text) !== 'string')
      .map((text) => `${text} must be a text`),
    ...(isReconciled(value) ? capabilityFaults(Reflect.get(value, 'capabilities')) : []),
    ...(typeof Reflect.get(value, 'simulated') !== 'boolean' ? ['simulated must be true or false'] : []),
  ]
}
