import { DRIFT_STATES } from '../../store/ad-serving/rows.ts'
import { required } from '../fields.ts'
import { about, anything, boolean, integer, moment, named, object, orNull, string, word } from '../shape.ts'
import { idText } from '../text-form.ts'

/** The field of acts that are about one order, or about all of them. */
export const ONLY_ORDER = idText('only this order')

/** The field that names a change at an ad server. */
export const DRIFT = required(idText('id of the drift'))

const mediaBuyId = about('the id of the order', string)

/** Where an order is at a reconciled ad server. */
export const adServerOrder = named(
  'AdServerOrder',
  object({
    media_buy_id: mediaBuyId,
    ad_server: string,
    in_step: boolean,
    attempts: integer,
    reason: orNull(string),
    refused_since: about('since when the ad server refuses it', orNull(moment)),
    ends_refused_at: about('when it is rejected unless it is mended; null: it is not', orNull(moment)),
    observed_at: orNull(moment),
  }),
)

/** What changed at an ad server without us. */
export const drift = named(
  'Drift',
  object({
    drift_id: string,
    media_buy_id: mediaBuyId,
    ad_server: string,
    subject: string,
    field: string,
    expected: anything,
    observed: anything,
    state: word(...DRIFT_STATES),
    found_at: moment,
  }),
)
