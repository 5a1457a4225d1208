import { makeGoodState } from '../../domain/media-buy/make-good.ts'
import {
  MAKE_GOOD_REMEDIES,
  MAKE_GOOD_STATES,
  type MakeGood,
  type MakeGoodTerms,
} from '../../domain/media-buy/make-good-terms.ts'
import { microsToAmount } from '../../domain/money.ts'
import { NET } from '../amount.ts'
import { flightShape, type PublisherCalendar, presentFlight } from '../flight.ts'
import { about, moment, named, number, type Of, object, orNull, string, word } from '../shape.ts'

const TERMS = {
  remedy: about('additional_delivery: a line of its own delivers what is missing', word(...MAKE_GOOD_REMEDIES)),
  impressions: about('null: a credit, or a line that is sold by other events', orNull(number)),
  amount: about(`of a credit, in units of the currency of the order, ${NET}`, orNull(number)),
  starts_at: about('null: a credit', orNull(moment)),
  ends_at: about('null: a credit', orNull(moment)),
}

/** What can be offered for a line that fell short. */
export const makeGoodTermsShape = named('MakeGoodTerms', object(TERMS))

/** What was offered, or agreed, for a line that fell short. */
export const makeGoodShape = named(
  'MakeGood',
  about(
    'What was offered, or agreed, for a line that fell short.',
    object({
      make_good_id: string,
      line_id: about('the line or package that fell short', string),
      ...TERMS,
      flight: about('null: a credit', orNull(flightShape)),
      currency: about('ISO 4217', string),
      state: about('offered: the buyer has not answered', word(...MAKE_GOOD_STATES)),
      reason: string,
      offered_at: moment,
      offered_by: string,
      expires_at: about('until when the buyer can answer', moment),
      decided_at: orNull(moment),
      decided_by: orNull(string),
      new_line_id: about('the line or package that delivers what was missing', orNull(string)),
    }),
  ),
)
export type ShownMakeGood = Of<typeof makeGoodShape>

/** What a remedy comes to, as every door shows it. */
export function presentTerms({ remedy, impressions, micros, startsAt, endsAt }: MakeGoodTerms) {
  const amount = micros === undefined ? null : microsToAmount(micros)
  return { remedy, impressions: impressions ?? null, amount, starts_at: startsAt ?? null, ends_at: endsAt ?? null }
}

/** A make-good as every door shows it. */
export function presentMakeGood(
  makeGood: MakeGood,
  { currency, now, zone }: { readonly currency: string; readonly now: Date; readonly zone: PublisherCalendar },
): ShownMakeGood {
  const { makeGoodId, lineId, startsAt, endsAt, reason, offeredAt, offeredBy, expiresAt, decidedAt, decidedBy } = makeGood
  const flight = startsAt === undefined || endsAt === undefined ? null : presentFlight({ startsAt, endsAt }, zone)
  return {
    ...{ make_good_id: makeGoodId, line_id: lineId, ...presentTerms(makeGood), flight, currency },
    ...{ state: makeGoodState(makeGood, now), reason, offered_at: offeredAt, offered_by: offeredBy, expires_at: expiresAt },
    ...{ decided_at: decidedAt ?? null, decided_by: decidedBy ?? null, new_line_id: makeGood.newLineId ?? null },
  }
}
