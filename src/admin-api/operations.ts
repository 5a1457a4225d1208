import { ACTS } from '../operator/acts.ts'
import { type AdminOperation, operationOf } from './operation.ts'

/** Every operation; routes, the description and its test are made from this list. */
export const OPERATIONS: readonly AdminOperation[] = ACTS.map(operationOf)
