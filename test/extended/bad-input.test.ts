import { badInputContract } from '../support/bad-input-contract.ts'

badInputContract(60)
