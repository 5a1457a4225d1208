import { callerFaultsContract } from './caller-faults-contract.ts'

callerFaultsContract('SQLite', async () => ({}))
