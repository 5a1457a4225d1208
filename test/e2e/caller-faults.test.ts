import { callerFaultsContract } from '../support/caller-faults-contract.ts'

callerFaultsContract('SQLite', async () => ({}))
