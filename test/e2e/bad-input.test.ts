import { badInputContract } from '../support/bad-input-contract.ts'

// A quarter of what the extended tests send.
badInputContract(15)
