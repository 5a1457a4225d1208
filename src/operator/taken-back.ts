import type { TakenBack } from '../store/account/taken-back.ts'
import { logged, required } from './fields.ts'
import { reasonField } from './reasons.ts'
import { about, moment, object, orNull, string } from './shape.ts'
import { idText } from './text-form.ts'

/** Which payment is taken back, of an invoice or of an account, and why. */
export const TAKE_BACK = {
  payment: logged(required(idText('id of the payment'))),
  reason: required(reasonField('why it was wrong')),
}

/** The member of a payment that says whether it counts. */
export const takenBackMember = {
  taken_back: about('it was recorded wrongly and counts for nothing', orNull(object({ at: moment, by: string, reason: string }))),
}

/** The same member of a stored payment. */
export function presentTakenBack(takenBack: TakenBack | undefined) {
  return { taken_back: takenBack ? { ...takenBack } : null }
}
