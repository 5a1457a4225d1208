import type { AdServer } from './ad-server.ts'
import type { AdServerBackend } from './backend.ts'

/** What a module gets to make its ad server with. */
export interface AdServerSetup {
  /** The `options` of the configuration, as they stand there: the module checks them. */
  readonly options: Readonly<Record<string, unknown>>
  /** Id of the publisher whose ad server this is; undefined for the one of the whole deployment. */
  readonly tenantId: string | undefined
  /** Writes to the log of the server. */
  readonly log: AdServerLog
}

export interface AdServerLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void
  warn(facts: Readonly<Record<string, unknown>>, message: string): void
  error(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** Makes an ad server once for each process. What it throws ends the start of the server, with its message. */
export type AdServerFactory = (setup: AdServerSetup) => AdServer | AdServerBackend | Promise<AdServer | AdServerBackend>

/** Declares the ad server of a module, as its default export: `export default defineAdServer(({ options }) => ({ … }))`. */
export function defineAdServer(create: AdServerFactory): AdServerFactory {
  return create
}

/** Members of an ad server that are functions. */
export const AD_SERVER_METHODS = [
  'checkAvailability',
  'book',
  'change',
  'pause',
  'resume',
  'cancel',
  'reportDelivery',
] as const satisfies readonly (keyof AdServer)[]

/** Members of a reconciled ad server that are functions. One that has `observe` is such a one. */
export const BACKEND_METHODS = [
  'check',
  'listInventory',
  'forecast',
  'observe',
  'putOrder',
  'setOrderState',
  'putCreative',
  'putLine',
  'associate',
  'setLineState',
  'report',
] as const satisfies readonly (keyof AdServerBackend)[]
