import { integer, moment, named, number, object, orNull, string, word } from '../shape.ts'

/** A notification to a buyer, and what became of it. */
export const webhook = named(
  'Webhook',
  object({
    delivery_id: string,
    event: string,
    principal: string,
    url: string,
    state: word('pending', 'delivered', 'dead'),
    attempts: integer,
    next_attempt_at: orNull(moment),
    last_status: orNull(number),
    last_error: orNull(string),
    created_at: moment,
    settled_at: orNull(moment),
  }),
)
