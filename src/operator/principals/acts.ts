import type { Act } from '../act.ts'
import { addBuyer } from './add-principal.ts'
import { requireSigning, setAnswerText, setBuyerBilling, setBuyerStatus } from './change-principal.ts'
import { listBuyers } from './list-principals.ts'

/** What can be done with the agents that buy, in the order of the help. */
export const principalActs: readonly Act[] = [
  addBuyer,
  listBuyers,
  setBuyerStatus,
  requireSigning,
  setAnswerText,
  setBuyerBilling,
]
