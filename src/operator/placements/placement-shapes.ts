import type { DirectTargeting } from '../../ad-serving/embedded/direct-targeting.ts'
import { PRIORITIES } from '../../ad-serving/embedded/line.ts'
import { PLACE_STATUSES } from '../../ad-serving/embedded/placement.ts'
import { PLACE_KINDS } from '../../domain/ad-serving/place-tag.ts'
import { atMost, count, day, exact, ids, object as jsonObject, oneOf, required, text } from '../fields.ts'
import { about, boolean, documentOf, integer, listOf, moment, named, type Of, object, orNull, string, word } from '../shape.ts'
import { listInForm } from '../text-form.ts'

/** Characters of an id: as many as tags may ask for. */
export const PLACEMENT_ID = exact(atMost(128, text('id of the placement, as tags ask for it')))
export const PLACEMENT = required(PLACEMENT_ID)

/** What people set of a placement. */
export const PLACEMENT_FIELDS = {
  placement: PLACEMENT,
  name: required(atMost(200, text('what people and buyers call it'))),
  kind: oneOf(PLACE_KINDS, 'what it shows; default: display'),
  sizes: listInForm(
    { pattern: '^[1-9]\\d{0,3}x[1-9]\\d{0,3}$', words: 'sizes, each width x height in pixels, such as 300x250' },
    20,
    ids('sizes of a display placement, such as 300x250; leave it out to accept any size that the page asks for'),
  ),
  status: oneOf(PLACE_STATUSES, 'paused: no ad is shown; default: active'),
  daily_capacity: count('impressions that it has in a day'),
  available_from: day('first day on which it shows ads, in the time zone of the publisher'),
  available_until: day('last day'),
  targeting: jsonObject(
    'visits on which it shows ads (targeting of schemas/direct-order.json); a frequency_cap limits each line',
  ),
}

const members = {
  placement_id: string,
  name: string,
  is_set_up: about('false: products name it, and nobody has set anything for it', boolean),
  kind: word(...PLACE_KINDS),
  sizes: about('empty: any size that the page asks for', listOf(string)),
  status: word(...PLACE_STATUSES),
  daily_capacity: about('null: nobody said', orNull(integer)),
  available_from: orNull(string),
  available_until: orNull(string),
  targeting: documentOf<DirectTargeting>('As targeting of schemas/direct-order.json; empty: every visit.'),
  products: about('ids of the products that sell it', listOf(string)),
  promised: about('impressions a day that those of them that are on sale promise, of all their placements', integer),
}

/** A placement of a list. */
export const placementShape = named('Placement', object(members))
export type ShownPlacement = Of<typeof placementShape>

/** A placement with its tag for pages, and what runs there. */
export const placementDetails = named(
  'PlacementDetails',
  object({
    ...members,
    script: about('what a page has once, in its head; empty for video', string),
    tag: about('what a page has in the place; for video the address that a player asks', string),
    lines: about(
      'lines that may be shown there now or later, at most 200',
      listOf(
        object({
          order_id: string,
          line_id: string,
          is_direct: about('sold by people, not by a buyer', boolean),
          priority: word(...PRIORITIES),
          starts_at: moment,
          ends_at: about('the flight ends before this moment', moment),
        }),
      ),
    ),
  }),
)
