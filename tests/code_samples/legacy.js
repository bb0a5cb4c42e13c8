'use strict';

const fs = require('fs');

/**
 * A queue of jobs.
 */
function Queue() {
  this.jobs = [];
}

Queue.prototype.push = function (job) {
  this.jobs.push(job);
};

exports.drain = function drain(queue) {
  return queue.jobs.splice(0);
};

const api = {
  get(path) {
    return path;
  },
  post: function (path) {
    return path;
  },
  timeout: 3,
};

class Worker {
  #busy = false;
  handle = (job) => job();
  *steps() {
    yield 1;
  }
}

var Lazy = class {
  load() {}
};

module.exports = { Queue, close: () => null };
