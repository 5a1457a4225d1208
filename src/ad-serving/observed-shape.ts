import type { ObservedOrder } from '../domain/ad-serving/observed-order.ts'
import { isObject } from '../protocol/is-object.ts'

const STATES: readonly unknown[] = ['active', 'paused', 'ended', 'waiting', 'rejected']

/** Lines and creatives of an order; more is no order of ours. */
const MOST = 10_000

/** Whether what a module calls an order has the form of one. */
export function isObservedOrder(value: unknown): value is ObservedOrder {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    STATES.includes(value.state) &&
    isObject(value.settings) &&
    listOf(value.lines, isLine) &&
    listOf(value.creatives, isCreative) &&
    areOthers(value.others) &&
    (value.reason === undefined || typeof value.reason === 'string') &&
    (value.duplicateIds === undefined || listOf(value.duplicateIds, (id) => typeof id === 'string'))
  )
}

function isLine(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    (value.externalId === undefined || typeof value.externalId === 'string') &&
    STATES.includes(value.state) &&
    isObject(value.settings) &&
    areOthers(value.others) &&
    listOf(value.associations, (one) => isObject(one) && typeof one.creativeExternalId === 'string')
  )
}

function areOthers(value: unknown): boolean {
  return value === undefined || listOf(value, (one) => isObject(one) && typeof one.field === 'string')
}

function isCreative(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.externalId === 'string' &&
    (value.contentVersion === undefined || typeof value.contentVersion === 'string') &&
    (value.review === undefined || (isObject(value.review) && typeof value.review.state === 'string'))
  )
}

function listOf(value: unknown, isOne: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MOST && value.every(isOne)
}
