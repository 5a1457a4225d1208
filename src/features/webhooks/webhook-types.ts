import type { Account } from '../../domain/account/account.ts'
import type { NotificationConfig } from '../../domain/account/notification-configs.ts'
import type { Principal } from '../../domain/identity/principal.ts'
import type { ListKind } from '../../domain/inventory-list.ts'
import type { A2aFormat } from '../../domain/webhook/a2a-body.ts'
import type { Contract } from '../../protocol/contract.ts'
import type { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import type { WireWebhook } from './registration.ts'

/** A call that may have registered webhooks. */
export interface WebhookCall {
  readonly task: { readonly name: string }
  /** Contract of the release that the call is answered in. */
  readonly contract: Contract
  readonly request: object
  readonly principal: Principal
  readonly account: Account | undefined
  /** Its `push_notification_config` came as a native one of A2A. */
  readonly native?: NativePush | undefined
  readonly now: Date
  readonly log: { info(fields: object, message: string): void }
}

/** A webhook in A2A's own form: the revision, and the A2A task that the call is. */
export interface NativePush {
  readonly format: A2aFormat
  readonly a2aTask?: { readonly id: string; readonly contextId: string }
}

/** What the pipeline knows of webhooks. */
export interface Webhooks {
  /** Before anything is done: refuses a call whose webhooks may not be called. Throws INVALID_REQUEST naming the field. */
  check(call: WebhookCall): Promise<void>
  /** In the effect's transaction: registers the call's webhooks and, when its task is done, notifies them. True when something is to be sent. */
  record(tx: Db, call: WebhookCall, payload: Readonly<Record<string, unknown>>): Promise<boolean>
  /** Refuses an address that may not be called. Throws INVALID_REQUEST naming `field`. */
  checkAddress(principal: Principal, url: string, field: string): Promise<void>
  /** Lets an agent follow a list, instead of how it did before. */
  followList(tx: Db, wish: ListWish): Promise<void>
  /** Refuses the revocation webhook of rights when it may not be called. Throws INVALID_REQUEST naming the field. */
  checkRevocation(principal: Principal, webhook: WireWebhook): Promise<void>
  /** Notifies an agent when rights are withdrawn. */
  followGrant(tx: Db, wish: GrantWish): Promise<void>
  /** Checks whether these subscribers control their addresses: one error an entry at most. Network; before any transaction. */
  proveSubscribers(principal: Principal, candidates: readonly SubscriberProof[]): Promise<readonly (AdcpError | undefined)[]>
  /** Puts the active subscribers of an account, or of the agent itself, in place of those that it had. */
  follow(tx: Db, wish: SubscriberWish): Promise<void>
  /** After the commit: what was written is to be sent now. */
  wake(): void
}

/** An agent that subscribes to changes of a list. */
export interface ListWish {
  readonly principal: Principal
  readonly kind: ListKind
  readonly listId: string
  /** Empty: it unsubscribes. */
  readonly url: string
  /** What the list resolved to before the request that asks for this. */
  readonly members: readonly string[]
  readonly now: Date
}

/** A subscriber of an account that was declared, or of this agent. */
export interface SubscriberProof {
  readonly config: NotificationConfig
  /** Undefined: it follows this agent. */
  readonly accountId: string | undefined
  /** Path of the subscriber in the request. */
  readonly field: string
  /** Whether it has to prove anything; its address is checked in any case. */
  readonly challenged: boolean
}

/** The subscribers that an account, or a caller of this agent, has from now on. */
export interface SubscriberWish {
  readonly principal: Principal
  /** Undefined: they follow this agent. */
  readonly accountId: string | undefined
  readonly configs: readonly NotificationConfig[]
  /** The release line of the call; undefined for the lowest. */
  readonly release: string | undefined
  readonly now: Date
}

/** An agent that acquires rights, and where it gets the notice of their end. */
export interface GrantWish {
  readonly principal: Principal
  readonly grantId: string
  readonly webhook: WireWebhook
  readonly now: Date
}
