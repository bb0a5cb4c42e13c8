#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace relay {

/// What to do with a message when the queue is full.
enum class OverflowPolicy { block, drop_oldest, reject };

/// A queue with a limit, shared by threads.
template <typename Message>
class BoundedQueue {
public:
    BoundedQueue(std::size_t capacity, OverflowPolicy policy) : capacity_(capacity), policy_(policy) {}

    /// Adds a message; when the queue is full the policy decides. False: the message was rejected.
    bool push(Message message) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (messages_.size() >= capacity_) {
            if (policy_ == OverflowPolicy::reject) {
                return false;
            }
            if (policy_ == OverflowPolicy::drop_oldest) {
                messages_.pop_front();
            } else {
                has_room_.wait(lock, [this] { return messages_.size() < capacity_; });
            }
        }
        messages_.push_back(std::move(message));
        return true;
    }

    /// Takes the oldest message out, and wakes a thread that waits for room.
    bool pop(Message& out) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (messages_.empty()) {
            return false;
        }
        out = std::move(messages_.front());
        messages_.pop_front();
        has_room_.notify_one();
        return true;
    }

private:
    std::size_t capacity_;
    OverflowPolicy policy_;
    std::deque<Message> messages_;
    std::mutex mutex_;
    std::condition_variable has_room_;
};

}  // namespace relay
