import { ACTS } from '../operator/acts.ts'
import { type AdminOperation, operationOf } from './operation.ts'

/** Every operation; routes, the description and its test are made from this list. Fixed words of a path come before its parameters. */
export const OPERATIONS: readonly AdminOperation[] = ACTS.map(operationOf)
