import { describe } from 'vitest'
import { unfitTextsContract } from './unfit-texts-contract.ts'

describe('a text with NUL or half a surrogate pair is no fault of the server, on SQLite', () =>
  unfitTextsContract(async () => undefined))
