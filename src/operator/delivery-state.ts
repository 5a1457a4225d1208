import { DELIVERY_STATES } from '../domain/delivery-state.ts'
import { oneOf } from './fields.ts'

/** The field of a list of messages that names where they are. */
export const STATE = oneOf(DELIVERY_STATES, 'dead: given up')
