/**
 * The parts of undici that this program uses. Its index loads fetch, caches, mocks and cookies too: 130 ms in one turn of the main thread at the first
 * address that is asked.
 */
import api from 'undici/lib/api/index.js'
import buildConnector from 'undici/lib/core/connect.js'
import Client from 'undici/lib/dispatcher/client.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import Pool from 'undici/lib/dispatcher/pool.js'

// Clients get the methods that ask, such as `request`, from here: the index does it otherwise.
Object.assign(Dispatcher.prototype, api)

export { buildConnector, Client, Pool }
