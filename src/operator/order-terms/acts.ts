import type { Act } from '../act.ts'
import { setOrderTerms, showOrderTerms } from './order-terms.ts'

/** What finance and sales know of an order, and how it changes. */
export const orderTermsActs: readonly Act[] = [showOrderTerms, setOrderTerms]
