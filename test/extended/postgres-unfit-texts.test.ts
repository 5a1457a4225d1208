import { afterAll, describe } from 'vitest'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { unfitTextsContract } from './unfit-texts-contract.ts'

let postgres: TestPostgres | undefined
afterAll(() => postgres?.stop())

describe('a text with NUL or half a surrogate pair is no fault of the server, on PostgreSQL', () =>
  unfitTextsContract(async () => {
    postgres = await startPostgres()
    return postgres.createDatabase('unfit_texts')
  }))
