import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { ListKind } from '../../domain/inventory-list.ts'
import type { LineReport } from '../../domain/media-buy/delivery.ts'
import type { WindowStages } from '../../domain/media-buy/measurement-window.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import type { Store } from '../../store/database.ts'
import type { ScheduledEvent } from '../../store/webhook/scheduled-events.ts'

/** A due event with the media buy that it is about; none when it is gone. */
export interface DueEvent {
  readonly store: Store
  readonly mediaBuys: MediaBuyView
  readonly settle: SettleActivation
  readonly lists: ResolveList
  readonly now: Date
  readonly event: ScheduledEvent
  readonly buy: MediaBuy | undefined
  readonly creatives: CreativeFacts
}

/** What a list resolves to now: keys of its members, in one order. */
export interface ResolvedList {
  readonly name: string
  readonly members: readonly string[]
  readonly cacheHours: number
}

/** Resolves a list outside of any call; undefined when it is gone. */
export type ResolveList = (tenantId: string, kind: ListKind, listId: string) => Promise<ResolvedList | undefined>

/** Settles an activation of a signal: see `activationView`. Gives the moment of the next look, if there is to be one. */
export type SettleActivation = (owner: PrincipalRef, taskId: string, now: Date) => Promise<Date | undefined>

/** Media buys with what their status and delivery are made of. */
export interface MediaBuyView {
  find(owner: PrincipalRef, mediaBuyIds: readonly string[]): Promise<{ buys: readonly MediaBuy[]; creatives: CreativeFacts }>
  /** Delivery of a media buy up to `now`, as the ad server reports it, with the conversions of events. Throws when it cannot be reached. */
  report(owner: PrincipalRef, buy: MediaBuy, creatives: CreativeFacts, now: Date): Promise<readonly LineReport[]>
  /** In which stages the figures of each package ripen, by package id. */
  windows(owner: PrincipalRef, buy: MediaBuy): Promise<ReadonlyMap<string, WindowStages>>
  /** Whether the buy is of a simulated account. */
  isSimulated(owner: PrincipalRef, buy: MediaBuy): Promise<boolean>
}
