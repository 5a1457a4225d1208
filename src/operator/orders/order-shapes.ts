import { ORDER_STATUSES } from '../../domain/media-buy/lifecycle.ts'
import { CHARGE_RULES } from '../../domain/media-buy/pricing.ts'
import { PACING_STATES } from '../../domain/media-buy/progress.ts'
import { ORIGINS } from '../../domain/order/order-origin.ts'
import { SIDES } from '../../domain/party.ts'
import { PRICING_MODELS } from '../../domain/product/pricing-option.ts'
import { flightShape } from '../flight.ts'
import { about, boolean, integer, listOf, moment, named, number, type Of, object, orNull, string, word } from '../shape.ts'

/** The progress of an order. */
export const progress = named(
  'Progress',
  about(
    'Shares are of the whole, 0 to 1, rounded to a ten-thousandth.',
    object({
      elapsed: about('of the flight that has passed', number),
      delivered: about('of what was ordered: money where units are billed, impressions where a flat price is', number),
      recognized: about('of the budget that is earned: a flat price by the day, whatever was delivered for it', number),
      expected: about('of what was ordered that would be delivered by now at the pacing that was ordered', number),
      state: word(...PACING_STATES),
    }),
  ),
)

/** Where an order comes from. */
export const orderOrigin = about(
  'buyer: a buyer agent; entered: the publisher’s people; adopted: taken over from an ad server',
  word(...ORIGINS),
)

/** The id of an order of any origin. Programs that read it as that of a media buy go on. */
const ids = { order_id: string, media_buy_id: about('an earlier name of `order_id`', string) }
const revision = about('counts the changes of the order', integer)
const currency = about('ISO 4217', string)

const status = word(...ORDER_STATUSES)

/** Members of an order in lists. */
export const ROW = {
  ...ids,
  status,
  paused: boolean,
  buyer: about('id of the buyer', string),
  buyer_name: string,
  sandbox: boolean,
  account: string,
  advertiser: about('domain of the brand', orNull(string)),
  name: about("the buyer's label of the order", orNull(string)),
  po_number: about('purchase order number of the buyer', orNull(string)),
  products: listOf(string),
  currency,
  budget: number,
  spent: number,
  impressions: integer,
  pacing: progress,
  starts_at: moment,
  ends_at: about('the flight ends before this moment', moment),
  flight: flightShape,
  created_at: moment,
  updated_at: moment,
  revision,
}

/** One order in the publisher's list. Money in units of `currency`. */
export const orderRow = named('Order', object(ROW))
export type BuyerOrder = Of<typeof orderRow>

const orderPackage = named(
  'OrderPackage',
  object({
    package_id: string,
    product_id: string,
    line_id: string,
    status: about('by its own dates, creatives, pause and cancellation', status),
    guaranteed: boolean,
    pricing_model: word(...PRICING_MODELS),
    rate: about('what is charged for a unit; quantity × rate is what is spent', number),
    bid: about('null: none was made', orNull(number)),
    charge_rule: about(
      'fixed_price; first_price: the bid; clearing_price: the median that the pricing option publishes, no less than its floor and no more than the bid',
      word(...CHARGE_RULES),
    ),
    budget: number,
    spent: number,
    impressions_ordered: orNull(number),
    impressions: integer,
    clicks: integer,
    viewable_impressions: integer,
    completed_views: integer,
    reserved_impressions: number,
    pacing: progress,
    paused: boolean,
    canceled: boolean,
    starts_at: moment,
    ends_at: moment,
    flight: flightShape,
    creatives: listOf(object({ creative_id: string, approval: string, format: orNull(string), weight: orNull(number) })),
  }),
)

/** What a publisher can do to an order. */
export const ORDER_ACTIONS = ['pause', 'resume', 'cancel', 'extend'] as const
export type OrderAction = (typeof ORDER_ACTIONS)[number]

/** An order with its packages and their delivery. */
export const orderDetails = named(
  'OrderDetails',
  object({
    ...ROW,
    valid_actions: about('what its buyer may do now, in the words of AdCP 3.0', listOf(string)),
    possible_actions: about(
      'what the publisher may do now: what its state and its products allow',
      listOf(word(...ORDER_ACTIONS)),
    ),
    ad_server_order_id: about('the id that the order has in the ad server', orNull(string)),
    proposal_id: orNull(string),
    plan_id: orNull(string),
    confirmed_at: orNull(moment),
    cancellation: orNull(object({ at: string, by: word(...SIDES), reason: orNull(string) })),
    rejection: orNull(object({ at: string, reason: orNull(string) })),
    packages: listOf(orderPackage),
    days: listOf(object({ day: string, impressions: integer, clicks: integer, spent: number })),
  }),
)
export type ShownOrder = Of<typeof orderDetails>

/** An order after a change. */
export const changedOrder = named(
  'ChangedOrder',
  object({ changed: about('false: it was so before, and nothing was written', boolean), order: orderDetails }),
)
export type ChangedOrder = Of<typeof changedOrder>

/** What a change would come to. */
export const orderConsequences = named(
  'OrderConsequences',
  about(
    'What a change would come to; money in units of `currency`.',
    object({
      action: word(...ORDER_ACTIONS),
      changed: boolean,
      ...ids,
      revision,
      currency,
      budget: number,
      spent: number,
      unspent: about('of the budget, not yet spent: a cancellation gives it up', number),
      released_impressions: about('of guaranteed packages, that other orders can have afterwards', number),
      ends_at_before: string,
      ends_at_after: string,
      flight_before: flightShape,
      flight_after: flightShape,
      history: about('what the history of the order, which the buyer sees, will say', listOf(string)),
    }),
  ),
)
export type OrderConsequences = Of<typeof orderConsequences>

/** A change of an order: who made it, and what it was. */
export const orderChangeEntry = named(
  'OrderChangeEntry',
  object({
    revision,
    at: string,
    actor: string,
    person: about("null for changes of the buyer's", orNull(string)),
    action: string,
    summary: string,
    package_id: orNull(string),
  }),
)
