import { MICROS_PER_UNIT } from '../money.ts'
import type { PlanDocument } from './plan-document.ts'

export type PurchaseType = 'media_buy' | 'rights_license' | 'signal_activation' | 'creative_services'

/** The revision of a plan that is in force. */
export interface Plan {
  readonly planId: string
  readonly principalId: string
  readonly version: number
  readonly document: PlanDocument
  readonly planHash: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** What was spent of a plan so far: one entry for each governed action, micros of the plan's currency. */
export interface Commitment {
  readonly actionId: string
  readonly purchaseType: PurchaseType
  readonly caller: string
  readonly seller: string
  readonly committedMicros: number
  readonly channels: readonly ChannelShare[]
}

/** Money on a channel; `channel` is undefined where it is unknown. */
export interface ChannelShare {
  readonly channel: string | undefined
  readonly micros: number
}

/** A portfolio plan over this one, with what all of its members have committed. */
export interface Portfolio {
  readonly planId: string
  readonly document: PlanDocument
  readonly committedMicros: number
}

/** An amount of a plan in micros. Governance compares amounts and books none, so finer ones are rounded. */
export function toMicros(amount: number): number {
  return Math.round(amount * MICROS_PER_UNIT)
}

export function totalCommitted(commitments: readonly Commitment[]): number {
  return commitments.reduce((sum, each) => sum + each.committedMicros, 0)
}

/** What is committed on each channel; `undefined` collects what is not assigned. */
export function committedByChannel(commitments: readonly Commitment[]): ReadonlyMap<string | undefined, number> {
  const byChannel = new Map<string | undefined, number>()
  for (const { committedMicros, channels } of commitments) {
    const planned = channels.reduce((sum, share) => sum + share.micros, 0)
    for (const { channel, micros } of planned > 0 ? channels : [{ channel: undefined, micros: 1 }]) {
      const part = Math.round((committedMicros * micros) / (planned > 0 ? planned : 1))
      byChannel.set(channel, (byChannel.get(channel) ?? 0) + part)
    }
  }
  return byChannel
}
