import type { Act } from '../act.ts'
import { addBuyer } from './add-buyer.ts'
import { requireSigning, setAnswerText, setBuyerBilling, setBuyerStatus } from './change-buyer.ts'
import { listBuyers } from './list-buyers.ts'
import { addSigningKeys, listSigningAgents, removeSigningKeys } from './signing-keys.ts'

/** What can be done with buyers, in the order of the help. */
export const buyerActs: readonly Act[] = [
  addBuyer,
  listBuyers,
  setBuyerStatus,
  requireSigning,
  setAnswerText,
  setBuyerBilling,
  addSigningKeys,
  listSigningAgents,
  removeSigningKeys,
]
