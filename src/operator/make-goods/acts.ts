import type { Act } from '../act.ts'
import { decideMakeGood } from './decide-make-good.ts'
import { listMakeGoods } from './list-make-goods.ts'
import { offerCredit, offerDelivery } from './offer-make-good.ts'

/** What is offered for lines that fell short. */
export const makeGoodActs: readonly Act[] = [listMakeGoods, offerDelivery, offerCredit, decideMakeGood]
