import { describe } from 'vitest'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import { replayStoreContract } from './replay-store-contract.ts'

describe('replay store in memory', () => {
  replayStoreContract(async (cap) => memoryReplayStore(() => cap))
})
