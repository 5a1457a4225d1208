import type { Act } from '../act.ts'
import { decideMakeGood } from './decide-make-good.ts'
import { listMakeGoods } from './list-make-goods.ts'
import { setMakeGoodPolicy, showMakeGoodPolicy } from './make-good-policy.ts'
import { offerCredit, offerDelivery } from './offer-make-good.ts'

/** What is offered for lines that fell short. */
export const makeGoodActs: readonly Act[] = [
  listMakeGoods,
  offerDelivery,
  offerCredit,
  decideMakeGood,
  showMakeGoodPolicy,
  setMakeGoodPolicy,
]
