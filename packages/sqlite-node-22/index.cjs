module.exports = require('better-sqlite3-13')
